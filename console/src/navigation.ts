import { createBrowserHistory, useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { BASE_PATH } from './base-path.ts'

/** The history that the router follows. */
export const history = createBrowserHistory()

/** Opens a view from outside what the router renders, such as a notice. */
export const openView = (path: string): void => history.push(BASE_PATH + path)

type Search = Record<string, string | undefined>
/**
 * The view's part of the address: path parameters, query, and ways to change them. Opening something is a step that
 * Back undoes (`go`, `open`); typing and moving the cursor is not (`change`).
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
    /** The same view with other query values, as a step of the history. */
    open: (next: Search) => navigate({ to: '.', search: merge(next) } as never),
    /** The same in place. */
    change: (next: Search) => navigate({ to: '.', search: merge(next), replace: true } as never),
  }
}
