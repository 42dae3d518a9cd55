import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react'

const Dialog = lazy(() => import('./ConfirmDialog.tsx'))

interface Question {
  title: string
  /** What it will touch, and how many. */
  children: ReactNode
  /** The verb of the button. */
  action: string
  danger?: boolean
  /** Has to be typed first: the name, or the number, of what goes. */
  typed?: string
}
export interface Asked extends Question {
  answer: (yes: boolean) => void
}

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
