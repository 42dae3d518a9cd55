import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { preferences } from '../preferences.ts'

/**
 * The page's keyboard shortcuts. A view registers its own while it is shown, and the sheet lists them. Single keys are
 * off in fields and dialogs, and can be turned off altogether (WCAG 2.1.4).
 */
export interface Shortcut {
  /** `u`, `Delete`, `Ctrl+k`, or a sequence: `g b`. */
  keys: string
  label: string
  /** Without it the key is only listed; the focused element handles it. */
  run?: () => void
}
export interface Sheet {
  title: string
  shortcuts: readonly Shortcut[]
}

const SECOND_MS = 1200
const sheets = new Map<symbol, Sheet>()
let listed: readonly Sheet[] = []
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useSheets = (): readonly Sheet[] => useSyncExternalStore(subscribe, () => listed)

/** A view's shortcuts, active while it is shown. The latest view wins. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const run = useEffectEvent((keys: string) => shortcuts.find((one) => one.keys === keys)?.run?.())
  const names = shortcuts.map(({ keys, label, run: does }) => `${keys}\n${label}\n${does !== undefined}`).join('\0')
  useEffect(() => {
    const id = Symbol(title)
    const all = names.split('\0').map((one) => {
      const [keys = '', label = '', does] = one.split('\n')
      return { keys, label, ...(does === 'true' ? { run: () => run(keys) } : {}) }
    })
    sheets.set(id, { title, shortcuts: all })
    listed = [...sheets.values()]
    tell()
    return () => {
      sheets.delete(id)
      listed = [...sheets.values()]
      tell()
    }
  }, [title, names])
}

/** An element that takes text. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox], [type=radio])'))
/** An open dialog or menu takes the keys. */
export const isBehindDialog = (): boolean =>
  document.querySelector('[role=dialog][aria-modal=true], [role=menu]') !== null

/** Recorded when the key was pressed: a dialog that the key closes is gone by the time it arrives here. */
let wasBehindDialog = false
const look = () => {
  wasBehindDialog = isBehindDialog()
}
globalThis.addEventListener?.('keydown', look, true)

let first = ''
let firstAt = 0
/** Whether a key is the second of a sequence just started. */
export const isSecond = (key: string): boolean =>
  Date.now() - firstAt < SECOND_MS &&
  listed.some(({ shortcuts }) => shortcuts.some(({ keys }) => keys === `${first} ${key}`))
function onKeyDown(event: KeyboardEvent): void {
  // Ignores key repeat, which would act on whatever replaced the target.
  if (event.defaultPrevented || event.isComposing || event.altKey || event.repeat) return
  const held = event.ctrlKey || event.metaKey
  const key = event.key.length === 1 && held ? event.key.toLowerCase() : event.key
  const single = key.length === 1 && !held
  if (isField(event.target) || wasBehindDialog || isBehindDialog()) {
    if (!(held && key === 'k')) return
  } else if (single && !preferences().shortcuts) return
  const all = listed.flatMap((sheet) => sheet.shortcuts).toReversed()
  const press = (keys: string) => {
    const found = all.find((one) => one.keys === keys && one.run)
    if (!found) return false
    event.preventDefault()
    found.run?.()
    return true
  }
  const pair = Date.now() - firstAt < SECOND_MS ? `${first} ${key}` : ''
  first = ''
  if (pair && press(pair)) return
  if (press(held ? `Ctrl+${key}` : key)) return
  if (single && all.some(({ keys }) => keys.startsWith(`${key} `))) {
    first = key
    firstAt = Date.now()
  }
}
globalThis.document?.addEventListener('keydown', onKeyDown)
