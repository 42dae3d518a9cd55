import { Button, Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Asked } from './confirm.tsx'
import { text } from './messages.ts'

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
