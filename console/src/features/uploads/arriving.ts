import { useSyncExternalStore } from 'react'

/** What is left of uploads to a folder: this page is at it, or it was interrupted and can be resumed. */
export type Arrival = 'running' | 'interrupted' | undefined

/** The upload engine, which is loaded when it is needed, sets it. */
let arrivalAt: (bucket: string, prefix: string) => Arrival = () => undefined
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function tellArriving(arrival: typeof arrivalAt): void {
  arrivalAt = arrival
  for (const listener of listeners) listener()
}
/** What is left of uploads to a folder. */
export const useArriving = (bucket: string, prefix: string): Arrival =>
  useSyncExternalStore(subscribe, () => arrivalAt(bucket, prefix))
