import {
  type ComponentType,
  type ReactNode,
  Suspense,
  useLayoutEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react'
import { ErrorBoundary } from 'react-error-boundary'
import { Router } from 'wouter'
import { BASE_PATH } from '../base-path.ts'
import { history, placeOf } from './history.ts'
import { restoreScroll } from './scroll.ts'
import { arrive, follow, goTo, type Route, type Shown, useShown } from './shown.ts'
import { Here } from './useView.ts'

const useAsked = () => useSyncExternalStore(history.subscribe, () => history.location)
/** How links and redirects open what they lead to. */
const usePath = (): [string, typeof goTo] => [useAsked().pathname, goTo]

interface ViewsProps {
  routes: readonly Route[]
  /** What is around the views that are framed. */
  frame: ComponentType<{ children: ReactNode }>
  /** Shown instead of a view that failed, until another address is opened. */
  failed: (props: { error: unknown }) => ReactNode
}

/** The view at the address. The one before stays until its code is there. */
export function Views({ routes, frame, failed }: ViewsProps) {
  const location = useAsked()
  const asked = useMemo(() => placeOf(location), [location])
  const shown = useShown()
  useLayoutEffect(() => follow(routes), [routes])
  const before = useRef<Shown>(undefined)
  useLayoutEffect(() => {
    if (!shown) return
    const from = before.current?.place.pathname
    before.current = shown
    // What the view does in its own effects is drawn before.
    queueMicrotask(() => {
      if (!shown.route.keepsScroll) restoreScroll(shown.place, from)
      arrive()
    })
  }, [shown])
  const Frame = shown?.route.isFramed ? frame : Bare
  return (
    <Router base={BASE_PATH} hook={usePath}>
      <Here value={asked}>
        <ErrorBoundary FallbackComponent={failed} resetKeys={[shown]}>
          <Suspense fallback={null}>
            {shown ? (
              <Frame>
                <Current shown={shown} failed={failed} />
              </Frame>
            ) : null}
          </Suspense>
        </ErrorBoundary>
      </Here>
    </Router>
  )
}

const Bare = ({ children }: { children: ReactNode }) => children

function Current({ shown, failed: Failed }: { shown: Shown; failed: ViewsProps['failed'] }) {
  const { place, route, failure } = shown
  const View = route.view
  const view = useMemo(() => View && <View />, [View])
  return (
    <Here value={place}>
      <ErrorBoundary FallbackComponent={Failed} resetKeys={[shown]}>
        {View && failure === undefined ? view : <Failed error={failure} />}
      </ErrorBoundary>
    </Here>
  )
}
