import { type ReactNode, useSyncExternalStore } from 'react'

/**
 * What runs in the background shows itself in the top bar (uploads, jobs): its feature puts an element here once it is
 * fetched, so that the frame does not carry its code.
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
