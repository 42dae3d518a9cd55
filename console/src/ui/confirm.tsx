import { lazy, Suspense, useSyncExternalStore } from 'react'
import type { Asked, Question } from './ConfirmDialog.tsx'

const Dialog = lazy(() => import('./ConfirmDialog.tsx'))

let asked: Asked | undefined
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Asks for confirmation and resolves to the answer. Only for what cannot be undone. */
export const confirm = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    asked?.answer(false)
    asked = {
      ...question,
      answer: (yes) => {
        asked = undefined
        tell()
        resolve(yes)
      },
    }
    tell()
  })

/** Renders the questions; used once, in the frame. */
export function Confirmations() {
  const question = useSyncExternalStore(subscribe, () => asked)
  return question ? (
    <Suspense fallback={null}>
      <Dialog key={question.title} question={question} />
    </Suspense>
  ) : null
}
