import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { hasMoved } from '../../navigation.ts'
import { isBehindDialog, isField } from '../../ui/shortcuts.ts'
import type { GridHandle } from '../../ui/VirtualGrid.tsx'

const isNowhere = () => document.activeElement === null || document.activeElement === document.body

/**
 * The focus goes where one works. The grid takes it when another place is shown, when one comes from another view, and
 * when what had it is gone (a dialog, a menu, the link of a folder); where there is no grid, the pane does. A page that
 * was only just loaded has it nowhere, and a field that somebody types in keeps it.
 */
export function useFocus(
  place: string,
  {
    grid,
    pane,
    isReady,
  }: { grid: RefObject<GridHandle | null>; pane: RefObject<HTMLElement | null>; isReady: boolean },
) {
  const had = useRef<EventTarget>(null)
  const isWanted = useRef(false)
  const shown = useRef<string>(undefined)
  const take = useEffectEvent(() => {
    const isGone = isNowhere() && had.current instanceof Node && !had.current.isConnected
    const isHeld = document.activeElement === pane.current
    const waits = pane.current !== null && had.current === pane.current && (isHeld || isNowhere())
    if (!isWanted.current && !isGone && !waits) return
    if (isBehindDialog()) return
    if (isField(document.activeElement)) isWanted.current = false
    else if (grid.current) {
      isWanted.current = false
      grid.current.focus()
    } else if (isReady && !waits) {
      isWanted.current = false
      pane.current?.focus({ preventScroll: true })
    }
  })
  useEffect(() => {
    const onFocus = (event: FocusEvent) => {
      had.current = event.target
    }
    // Who clicks beside everything has put it down.
    const onClick = () => {
      if (isNowhere()) had.current = null
    }
    const observer = new MutationObserver(() => take())
    observer.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('focusin', onFocus)
    document.addEventListener('click', onClick, true)
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('click', onClick, true)
    }
  }, [])
  useEffect(() => {
    if (shown.current === place) return
    isWanted.current = shown.current === undefined ? hasMoved() && isNowhere() : true
    shown.current = place
    take()
  }, [place])
}
