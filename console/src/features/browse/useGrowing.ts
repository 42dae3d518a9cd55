import { useEffect } from 'react'
import { refreshObjects } from './background.tsx'

const EVERY_MS = 4000

/** Refetches a folder and its bucket from time to time while objects appear by themselves, and once afterwards. */
export function useGrowing(isGrowing: boolean): void {
  useEffect(() => {
    if (!isGrowing) return
    const timer = setInterval(() => {
      if (!document.hidden) void refreshObjects()
    }, EVERY_MS)
    return () => {
      clearInterval(timer)
      void refreshObjects()
    }
  }, [isGrowing])
}
