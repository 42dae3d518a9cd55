import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { views } from './features/views.ts'
import { wholeLanguage } from './i18n.ts'
import { Redirect } from './navigation/Redirect.tsx'
import type { Route } from './navigation/shown.ts'
import { useView } from './navigation/useView.ts'
import { Views } from './navigation/Views.tsx'
import { Broken, FailedView, Forbidden, NotFound, NotFoundFramed } from './shell/failures.tsx'
import { Gate } from './shell/Gate.tsx'
import { part } from './shell/new-version.ts'

const Shell = lazy(part(() => import('./shell/Shell.tsx')))

const Frame = ({ children }: { children: ReactNode }) => (
  <Gate>
    <Suspense fallback={null}>
      <Shell>{children}</Shell>
    </Suspense>
  </Gate>
)

/** An address without a view: it may be one that a view is guessed to have. */
function Unknown() {
  const { pathname, search } = useView()
  const [, bucket] = /^\/buckets\/([^/]+)\/?$/.exec(pathname) ?? []
  const guess = bucket ? `/b/${bucket}` : `/admin${pathname}`
  if (bucket || views.some(({ path }) => path === guess)) return <Redirect to={guess} search={search} />
  return <NotFoundFramed />
}

const page = (path: string, view: ComponentType): Route => ({ path, view, isFramed: false })

const routes: readonly Route[] = [
  ...views.map(({ load, open = false, inFrame = false, ...view }) => ({
    ...view,
    isFramed: !open,
    load: part(inFrame ? load : () => wholeLanguage().then(load)),
  })),
  page('/403', Forbidden),
  page('/404', NotFound),
  page('/error', Broken),
  { path: '*', view: Unknown, isFramed: true },
]

/** The view at the page's address, in the frame unless it is for everybody. */
export const Console = () => <Views routes={routes} frame={Frame} failed={FailedView} />
