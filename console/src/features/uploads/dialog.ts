import { useSyncExternalStore } from 'react'
import type { Taken } from './engine/drop.ts'

/** Where to upload to, and what was dropped. */
export interface Wanted {
  bucket: string
  prefix: string
  taken?: Taken
}

let wanted: (Wanted & { n: number }) | undefined
let asked = 0
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const openDialog = (what: Wanted): void => {
  wanted = { ...what, n: ++asked }
  tell()
}
export const closeDialog = (): void => {
  wanted = undefined
  tell()
}
/** What the dialog is open for; `n` distinguishes openings. */
export const useWanted = () => useSyncExternalStore(subscribe, () => wanted)
