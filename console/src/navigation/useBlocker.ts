import { useEffect, useEffectEvent } from 'react'
import { history, type Place, placeOf } from './history.ts'

/** While it is on, asks before another address is opened, and lets the browser ask before the page is closed. */
export function useBlocker(isOn: boolean, blocks: (here: Place, next: Place) => Promise<boolean>): void {
  const decide = useEffectEvent(blocks)
  useEffect(() => {
    if (!isOn) return
    return history.block({
      blockerFn: ({ currentLocation, nextLocation }) => decide(placeOf(currentLocation), placeOf(nextLocation)),
      enableBeforeUnload: true,
    })
  }, [isOn])
}
