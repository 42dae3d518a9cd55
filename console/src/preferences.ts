import { useSyncExternalStore } from 'react'

/** The user's appearance settings on this device. Mantine keeps the colour scheme. */
export interface Preferences {
  density: 'compact' | 'normal' | 'comfortable'
  /** Single-key shortcuts, which can be turned off (WCAG 2.1.4). */
  shortcuts: boolean
  /** The default view for objects. */
  view: 'list' | 'grid'
  /** The first steps on the start page. */
  checklist: boolean
}
const KEY = 'strongroom-preferences'
const usual: Preferences = { density: 'normal', shortcuts: true, view: 'list', checklist: true }

function read(): Preferences {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>
    const density = (['compact', 'comfortable'] as const).find((one) => one === kept.density) ?? usual.density
    return {
      density,
      shortcuts: kept.shortcuts !== false,
      view: kept.view === 'grid' ? 'grid' : 'list',
      checklist: kept.checklist !== false,
    }
  } catch {
    return usual
  }
}
let current = read()
const listeners = new Set<() => void>()

export const preferences = (): Preferences => current
/** Applies the settings to the page: the row height is a CSS variable. */
export const applyPreferences = (): void => {
  document.documentElement.dataset.density = current.density
}
export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(KEY, JSON.stringify(current))
  } catch {
    // No storage: they apply until the page is closed.
  }
  applyPreferences()
  for (const listener of listeners) listener()
}
export const usePreferences = (): Preferences =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, preferences)
