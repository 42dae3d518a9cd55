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

/** Asks; resolves to whether the answer is yes. Only for what cannot be undone. */
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

/** Where questions are shown; once, in the frame of all pages. */
export function Confirmations() {
  const question = useSyncExternalStore(subscribe, () => asked)
  return question ? (
    <Suspense fallback={null}>
      <Dialog key={question.title} question={question} />
    </Suspense>
  ) : null
}
