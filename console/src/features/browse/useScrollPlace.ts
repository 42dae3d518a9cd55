import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { useHere } from '../../navigation/useView.ts'
import type { GridHandle } from '../../ui/VirtualGrid.tsx'

const KEY = 'strongroom-scroll'
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
    // Going up starts at the top.
  }
}

/**
 * Remembers the scroll position of each history entry. Back and reload restore it; a new step starts at the top, or at
 * the cursor if that stays. Returns the scroll handler.
 */
export function useScrollPlace(listing: string, isReady: boolean, grid: RefObject<GridHandle | null>, cursor: number) {
  const { step } = useHere()
  const id = `${step} ${listing}`
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const settled = useRef('')
  const now = useRef(id)
  now.current = id
  // Opening details adds a history entry while the list stays in place.
  const shown = useRef('')
  const beginAt = useEffectEvent(() =>
    cursor > 0 ? grid.current?.reveal(cursor, 'center') : grid.current?.scrollTo(0),
  )
  useEffect(() => {
    if (!isReady || settled.current === id) return
    settled.current = id
    const top = read()[id]
    if (top !== undefined) grid.current?.scrollTo(top)
    else if (shown.current !== listing) beginAt()
    shown.current = listing
  }, [id, listing, isReady, grid])
  return (place: () => number | undefined) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const top = place()
      if (top !== undefined && settled.current === now.current) write(now.current, top)
    }, 100)
  }
}
