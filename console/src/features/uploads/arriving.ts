import { useSyncExternalStore } from 'react'

/** Whether files are still to be uploaded to a place. The upload engine, which is loaded when it is needed, sets it. */
let isOnItsWay: (bucket: string, prefix: string) => boolean = () => false
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function tellArriving(isArriving: typeof isOnItsWay): void {
  isOnItsWay = isArriving
  for (const listener of listeners) listener()
}
/** Whether this page is uploading files to a folder. */
export const useArriving = (bucket: string, prefix: string): boolean =>
  useSyncExternalStore(subscribe, () => isOnItsWay(bucket, prefix))
