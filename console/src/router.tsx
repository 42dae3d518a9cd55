import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
} from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { BASE_PATH } from './base-path.ts'
import { views } from './features/views.ts'
import { wholeLanguage } from './i18n.ts'
import { history, useView } from './navigation.ts'
import { Broken, FailedView, Forbidden, NotFound, NotFoundFramed } from './shell/failures.tsx'
import { Gate } from './shell/Gate.tsx'
import { part } from './shell/new-version.ts'

const Shell = lazy(part(() => import('./shell/Shell.tsx')))

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })
const framed = createRoute({
  getParentRoute: () => root,
  id: 'framed',
  component: () => (
    <Gate>
      <Suspense fallback={null}>
        <Shell>
          <Outlet />
        </Shell>
      </Suspense>
    </Gate>
  ),
})

/** An address without a view: it may be one that a view is guessed to have. */
function Unknown() {
  const { pathname, search } = useView()
  const [, bucket] = /^\/buckets\/([^/]+)\/?$/.exec(pathname) ?? []
  const guess = bucket ? `/b/${bucket}` : `/admin${pathname}`
  if (bucket || views.some(({ path }) => path === guess))
    return <Navigate to={guess} search={search as never} replace />
  return <NotFoundFramed />
}

const page = (path: string, component: () => ReactNode) => createRoute({ getParentRoute: () => root, path, component })

const routes = (parent: typeof root | typeof framed, open: boolean) =>
  views
    .filter((view) => (view.open ?? false) === open)
    .map(({ path, load, inFrame = false }) =>
      createRoute({
        getParentRoute: () => parent as never,
        path,
        component: lazyRouteComponent(part(inFrame ? load : () => wholeLanguage().then(load))),
        errorComponent: FailedView,
      }),
    )

/** Every value stays a string: the router's own parser would turn `?prefix=2026` into a number. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))
const stringifySearch = (search: Record<string, unknown>): string => {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text ? `?${text}` : ''
}

// The paths come from a list, so the router cannot type them.
const children = [
  framed.addChildren([
    ...routes(framed, false),
    createRoute({ getParentRoute: () => framed, path: '$', component: Unknown }),
  ] as never),
  ...routes(root, true),
  page('/403', Forbidden),
  page('/404', NotFound),
  page('/error', Broken),
]
const tree = root.addChildren(children as never) as unknown as AnyRoute

export const router = createRouter({
  routeTree: tree,
  history,
  basepath: BASE_PATH,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  // Restores pixels, which does not work for the object browser (tiles move with the width). It keeps its own
  // positions.
  scrollRestoration: ({ location }) => !/\/b\/[^/]+\/?$/.test(location.pathname),
  defaultErrorComponent: FailedView,
  defaultNotFoundComponent: NotFound,
})
