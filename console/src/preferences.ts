import { useSyncExternalStore } from 'react'

/** How somebody likes the console on this device; the colour scheme is kept by Mantine. */
export interface Preferences {
  density: 'compact' | 'normal' | 'comfortable'
  /** Single keys that do something (WCAG 2.1.4: they can be turned off). */
  shortcuts: boolean
  /** How objects are listed where the address does not say. */
  view: 'list' | 'grid'
}
const KEY = 'stowage-preferences'
const usual: Preferences = { density: 'normal', shortcuts: true, view: 'list' }

function read(): Preferences {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>
    const density = (['compact', 'comfortable'] as const).find((one) => one === kept.density) ?? usual.density
    return { density, shortcuts: kept.shortcuts !== false, view: kept.view === 'grid' ? 'grid' : 'list' }
  } catch {
    return usual
  }
}
let current = read()
const listeners = new Set<() => void>()

export const preferences = (): Preferences => current
/** Shows the page as it is liked: the height of rows is a variable of the page. */
export const applyPreferences = (): void => {
  document.documentElement.dataset.density = current.density
}
export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(KEY, JSON.stringify(current))
  } catch {
    // No storage: it holds until the page is left.
  }
  applyPreferences()
  for (const listener of listeners) listener()
}
export const usePreferences = (): Preferences =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, preferences)
