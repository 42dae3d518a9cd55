import { Button, Modal, TextInput } from '@mantine/core'
import { type ReactNode, useState, useSyncExternalStore } from 'react'
import { text } from './messages.ts'

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
interface Asked extends Question {
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
  return question ? <Dialog key={question.title} question={question} /> : null
}

function Dialog({ question: { title, children, action, danger = true, typed, answer } }: { question: Asked }) {
  const [word, setWord] = useState('')
  const ready = typed === undefined || word === typed
  return (
    <Modal opened onClose={() => answer(false)} title={title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) answer(true)
        }}
      >
        <div>{children}</div>
        {typed === undefined ? null : (
          <TextInput
            label={text.typeToConfirm(typed)}
            value={word}
            onChange={(event) => setWord(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        <div className="dialog-actions">
          <Button variant="default" onClick={() => answer(false)}>
            {text.cancel}
          </Button>
          <Button
            type="submit"
            color={danger ? 'danger' : 'teal'}
            disabled={!ready}
            data-autofocus={typed === undefined || undefined}
          >
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
