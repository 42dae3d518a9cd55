import { createContext, use } from 'react'
import { history, type Place, parseSearch, type Search, writeSearch } from './history.ts'
import { addressIn, goTo, useShown } from './shown.ts'

/** Where the reader is: around a view its own place, around the frame the one that was asked for last. */
export const Here = createContext<Place>({ pathname: '/', search: {}, hash: '', entry: '', step: 0 })
export const useHere = (): Place => use(Here)

/**
 * The view's part of the address: path parameters, query, and ways to change them. Opening something is a step that
 * Back undoes (`go`, `open`); typing and moving the cursor is not (`change`).
 */
export function useView() {
  const { pathname, search } = useHere()
  const params = useShown()?.params ?? {}
  return {
    search: search as Search,
    params,
    pathname,
    /** Another view. Resolves once it is there. */
    go: (to: string, query: Search = {}) => goTo(addressIn(to, query)),
    /** The same view with other query values, as a step of the history. */
    open: (next: Search) => goTo(addressWith(next)),
    /** The same in place. */
    change: (next: Search) => goTo(addressWith(next), { replace: true }),
  }
}

/** This address with other query values. */
function addressWith(next: Search): string {
  const { pathname, search } = history.location
  return pathname + writeSearch({ ...parseSearch(search), ...next })
}
