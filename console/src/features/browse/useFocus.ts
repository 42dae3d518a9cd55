import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { isBehindDialog, isField } from '../../ui/shortcuts.ts'
import type { GridHandle } from '../../ui/VirtualGrid.tsx'

const isNowhere = () => document.activeElement === null || document.activeElement === document.body

/**
 * Keeps the focus where the user works. The grid takes it when a folder is shown, also on a freshly loaded page, and when
 * the focused element disappears (a dialog, a menu, a folder's link); without a grid, the pane takes it. It is never
 * taken from a field that is being typed in.
 */
export function useFocus(
  place: string,
  {
    grid,
    pane,
    isBare,
  }: {
    grid: RefObject<GridHandle | null>
    pane: RefObject<HTMLElement | null>
    /** There is nothing that a grid could show; otherwise it is waited for. */
    isBare: boolean
  },
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
    } else if (isBare && !waits) {
      isWanted.current = false
      pane.current?.focus({ preventScroll: true })
    }
  })
  useEffect(() => {
    const onFocus = (event: FocusEvent) => {
      had.current = event.target
    }
    // A click on nothing drops the focus on purpose.
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
    isWanted.current = shown.current === undefined ? isNowhere() : true
    shown.current = place
    take()
  }, [place])
}
