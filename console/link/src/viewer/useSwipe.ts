import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

const FAR_PX = 48

/** Calls `move` with 1 for a swipe to the next file and -1 for one to the previous; without it swipes do nothing. */
export function useSwipe(element: RefObject<HTMLElement>, move: ((by: number) => void) | undefined): void {
  const latest = useRef(move)
  latest.current = move
  useEffect(() => {
    const stage = element.current?.parentElement
    if (!stage) return
    let start: { x: number; y: number } | undefined
    const begin = ({ touches: [one, other] }: TouchEvent) => {
      start = one && !other ? { x: one.clientX, y: one.clientY } : undefined
    }
    const end = ({ changedTouches: [one] }: TouchEvent) => {
      if (!start || !one) return
      const [across, down] = [one.clientX - start.x, one.clientY - start.y]
      start = undefined
      if (Math.abs(across) < FAR_PX || Math.abs(across) < 2 * Math.abs(down)) return
      const forward = document.documentElement.dir === 'rtl' ? across > 0 : across < 0
      latest.current?.(forward ? 1 : -1)
    }
    stage.addEventListener('touchstart', begin, { passive: true })
    stage.addEventListener('touchend', end)
    return () => {
      stage.removeEventListener('touchstart', begin)
      stage.removeEventListener('touchend', end)
    }
  }, [element])
}
