import { type ReactNode, useSyncExternalStore } from 'react'
import { describeProblem, statusOf } from '../api/problem.ts'
import { isUnreachable } from '../api/reach.ts'
import { hasToken } from '../api/session.ts'
import { text } from './messages.ts'
import { noteDeed, offerUndo, type Place } from './undo.ts'

/** Their code is loaded with the first one. */
let toasts: typeof import('./toasts.tsx') | undefined
const listeners = new Set<() => void>()
const load = async () => {
  toasts ??= await import('./toasts.tsx')
  for (const listener of listeners) listener()
  return toasts
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** How a deed is undone; with its place among the others, if it has been noted already. */
type Undo = (() => void) | { place: Place | undefined; run: (() => void) | undefined }
type Next = { label: string; run: () => void }

/** Short notices in the top bar, or at the bottom of a phone. Errors stay until they are closed. */
export const notify = {
  /**
   * Something was changed. With what can be done about it: taking it back, which Ctrl+Z does too, or `next`. Without a
   * way back, Ctrl+Z says that there is none, and undoes nothing older.
   */
  ok(message: ReactNode, undo?: Undo, next?: Next): void {
    let hide = () => {}
    const { run: back, place } = typeof undo === 'object' ? undo : { run: undo, place: undefined }
    const run = back && offerUndo(back, () => hide(), place)
    if (!back && !place) noteDeed()
    void load().then(({ showDone }) => {
      hide = showDone(message, run ? { label: text.undo, run } : next)
    })
  },
  /** Nothing was changed, or something was undone: what Ctrl+Z undoes stays the same. */
  note(message: ReactNode, next?: Next): void {
    void load().then(({ showDone }) => showDone(message, next))
  },
  /** Hides what is shown: it is about something that is gone. */
  clear(): void {
    toasts?.hideAll()
  },
  problem(error: unknown): void {
    // The session has ended: the sign-in page says so.
    if (statusOf(error) === 401 && !hasToken()) return
    const { title, detail, requestId } = describeProblem(error)
    if (isUnreachable(error)) void load().then(({ showUnreachable }) => showUnreachable(title, detail))
    else notify.failure(title, requestId ? `${detail} (${text.requestId} ${requestId})` : detail)
  },
  failure(title: string, detail: ReactNode): void {
    void load().then(({ showFailure }) => showFailure(title, detail))
  },
}

/** Renders the notices; used once, above all pages. */
export function Toasts() {
  const Host = useSyncExternalStore(subscribe, () => toasts?.Host)
  return Host ? <Host /> : null
}
