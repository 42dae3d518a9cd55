import { type ComponentPropsWithRef, type SyntheticEvent, useEffect, useRef } from 'react'
import { Link as WouterLink } from 'wouter'
import { type Search, writeSearch } from './history.ts'
import { prefetch } from './shown.ts'
import { useHere } from './useView.ts'

/** How long the pointer or the focus stays on a link that somebody is about to open. */
const INTENT_MS = 50

interface LinkProps extends Omit<ComponentPropsWithRef<'a'>, 'href'> {
  /** The path below the console's, which may have a query. */
  to: string
  search?: Search | undefined
  /** Whether it leads to this very address, not also to one above it, when it says that it leads here. */
  exact?: boolean | undefined
}

/** A link to a view; the view's code is fetched as soon as somebody is about to open it. */
export function Link({ to, search = {}, exact = false, ...given }: LinkProps) {
  const isHere = useIsHere(to, search, exact)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stop = () => clearTimeout(timer.current)
  useEffect(() => () => clearTimeout(timer.current), [])
  const fetch = () => prefetch(to.split('?', 1)[0] ?? to)
  const wait = () => {
    stop()
    timer.current = setTimeout(fetch, INTENT_MS)
  }
  const current = isHere ? ({ 'aria-current': 'page' } as const) : {}
  return (
    <WouterLink
      {...given}
      {...current}
      to={to + writeSearch(search)}
      onMouseEnter={also(given.onMouseEnter, wait)}
      onMouseLeave={also(given.onMouseLeave, stop)}
      onFocus={also(given.onFocus, wait)}
      onBlur={also(given.onBlur, stop)}
      onTouchStart={also(given.onTouchStart, fetch)}
    />
  )
}

const also =
  <E extends SyntheticEvent>(given: ((event: E) => void) | undefined, work: () => void) =>
  (event: E) => {
    given?.(event)
    work()
  }

/** Whether a link leads to where the page is: all that it says is so in the address. */
function useIsHere(to: string, search: Search, exact: boolean): boolean {
  const { pathname, search: now } = useHere()
  const above = `${pathname}/`.startsWith(`${to === '/' ? '' : to}/`)
  if (exact || to === '/' ? pathname.replace(/(?!^)\/$/, '') !== to : !above) return false
  const wanted = Object.entries(search).filter(([, value]) => value !== undefined)
  return wanted.every(([name, value]) => now[name] === value) && (!exact || Object.keys(now).length === wanted.length)
}
