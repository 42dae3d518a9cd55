import { type ReactNode, useSyncExternalStore } from 'react'

/**
 * Background work (uploads, jobs) shows itself in the top bar: its feature adds an element here once loaded, so that
 * the frame does not contain its code.
 */
const shown = new Map<string, ReactNode>()
let list: readonly (readonly [string, ReactNode])[] = []
const listeners = new Set<() => void>()

export function showInCorner(name: string, element: ReactNode | null): void {
  if (element === null) shown.delete(name)
  else shown.set(name, element)
  list = [...shown]
  for (const listener of listeners) listener()
}

export function Corner() {
  const elements = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => list,
  )
  return elements.map(([name, element]) => <span key={name}>{element}</span>)
}
