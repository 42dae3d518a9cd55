import { useRouterState } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'
import type { GridHandle } from '../../ui/VirtualGrid.tsx'

const KEY = 'stowage-scroll'
const MOST = 100

const read = (): Record<string, number> => {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}')
  } catch {
    return {}
  }
}
function write(id: string, top: number): void {
  try {
    const places = Object.entries({ ...read(), [id]: top }).slice(-MOST)
    sessionStorage.setItem(KEY, JSON.stringify(Object.fromEntries(places)))
  } catch {
    // The way back begins at the top.
  }
}

/**
 * Where each step of the history was scrolled to: going back, or a reload, leads there again; a step forward begins at
 * the top. Gives what hears of scrolling.
 */
export function useScrollPlace(listing: string, isReady: boolean, grid: RefObject<GridHandle | null>) {
  const step = useRouterState({ select: ({ location }) => location.state.__TSR_index ?? 0 })
  const id = `${step} ${listing}`
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const settled = useRef('')
  const now = useRef(id)
  now.current = id
  // Details that open over the list are a step of their own, and the list stays where it is.
  const shown = useRef('')
  useEffect(() => {
    if (!isReady || settled.current === id) return
    settled.current = id
    const top = read()[id]
    if (top !== undefined || shown.current !== listing) grid.current?.scrollTo(top ?? 0)
    shown.current = listing
  }, [id, listing, isReady, grid])
  return (top: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      if (settled.current === now.current) write(now.current, top)
    }, 100)
  }
}
