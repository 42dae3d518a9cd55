import { Button, Modal, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { text } from './messages.ts'

export interface Question {
  title: string
  /** What it affects, and how many. */
  children: ReactNode
  /** The verb on the button. */
  action: string
  danger?: boolean
  /** Has to be typed first: a name, or a number of items. */
  typed?: string
}
export interface Asked extends Question {
  answer: (yes: boolean) => void
}

export default function ConfirmDialog({
  question: { title, children, action, danger = true, typed, answer },
}: {
  question: Asked
}) {
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
