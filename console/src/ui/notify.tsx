import { type ReactNode, useSyncExternalStore } from 'react'
import { describeProblem, statusOf } from '../api/problem.ts'
import { isUnreachable } from '../api/reach.ts'
import { hasToken } from '../api/session.ts'
import { text } from './messages.ts'
import { offerUndo } from './undo.ts'

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

/** Short notices in the top bar, or at the bottom of a phone. Errors stay until they are closed. */
export const notify = {
  /** With what can be done about it: taking it back, which Ctrl+Z does too, or `next`. */
  ok(message: ReactNode, undo?: () => void, next?: { label: string; run: () => void }): void {
    let hide = () => {}
    const run = undo && offerUndo(undo, () => hide())
    void load().then(({ showDone }) => {
      hide = showDone(message, run ? { label: text.undo, run } : next)
    })
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
