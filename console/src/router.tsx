import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  useLocation,
  useNavigate,
  useParams,
  useSearch,
} from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { views } from './features/views.ts'
import { Broken, FailedView, Forbidden, NotFound } from './shell/failures.tsx'
import { Gate } from './shell/Gate.tsx'
import { part } from './shell/outdated.ts'

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

const page = (path: string, component: () => ReactNode) => createRoute({ getParentRoute: () => root, path, component })

const routes = (parent: typeof root | typeof framed, open: boolean) =>
  views
    .filter((view) => (view.open ?? false) === open)
    .map(({ path, load }) =>
      createRoute({
        getParentRoute: () => parent as never,
        path,
        component: lazyRouteComponent(part(load)),
        errorComponent: FailedView,
      }),
    )

/** Every value is a text: the router's own way would make `?prefix=2026` a number. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))
const stringifySearch = (search: Record<string, unknown>): string => {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text ? `?${text}` : ''
}

// The views are a list, so their paths are no types: the router is told nothing of them.
const children = [
  framed.addChildren(routes(framed, false) as never),
  ...routes(root, true),
  page('/403', Forbidden),
  page('/404', NotFound),
  page('/error', Broken),
]
const tree = root.addChildren(children as never) as unknown as AnyRoute

export const router = createRouter({
  routeTree: tree,
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  // By pixels, which the object browser cannot use (tiles stand elsewhere in another width): it keeps places of its own.
  scrollRestoration: ({ location }) => !/\/b\/[^/]+\/?$/.test(location.pathname),
  defaultErrorComponent: FailedView,
  defaultNotFoundComponent: NotFound,
})

let moved = false
router.history.subscribe(({ action }) => {
  if (action.type !== 'REPLACE') moved = true
})
/** Whether somebody went to another place of the console since the page was loaded. */
export const hasMoved = (): boolean => moved

type Search = Record<string, string | undefined>
/**
 * The view's part of the address: parameters of its path, texts of its query, and ways to change them. What is opened
 * is a step that Back undoes (`go`, `open`); typing and moving about is none (`change`).
 */
export function useView() {
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as Search
  const params = useParams({ strict: false }) as Record<string, string>
  const { pathname } = useLocation()
  const merge = (next: Search) => (old: Search) => ({ ...old, ...next })
  return {
    search,
    params,
    pathname,
    /** Another view. */
    go: (to: string, query: Search = {}) => navigate({ to, search: query } as never),
    /** The same view with other texts in its query, as a step of the history. */
    open: (next: Search) => navigate({ to: '.', search: merge(next) } as never),
    /** The same in place. */
    change: (next: Search) => navigate({ to: '.', search: merge(next), replace: true } as never),
  }
}
