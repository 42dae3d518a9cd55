import { useSyncExternalStore } from 'react'

/** Whether a media query holds, as long as it does. */
export const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => matchMedia(query).matches,
  )
