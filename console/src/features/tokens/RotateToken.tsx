import { Button, Modal, Select } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { NewToken, Token } from '../../../../contract/tokens.ts'
import { client } from '../../api/session.ts'
import { text as common } from '../../ui/messages.ts'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'

const graces = [
  { value: '0', label: text.graceNone },
  { value: '3600', label: text.graceHour },
  { value: '86400', label: text.graceDay },
]

/** Gives a token a new value, with an optional grace period for the old one. */
export function RotateToken({
  token,
  onMade,
  onClose,
}: {
  token: Token
  onMade: (token: NewToken) => void
  onClose: () => void
}) {
  const cache = useQueryClient()
  const form = useForm({ grace: '0' })
  const rotate = async () => {
    let made: NewToken | undefined
    const done = await form.submit(async ({ grace }) => {
      made = await client.rotateToken({ params: { id: token.id }, body: { grace_seconds: Number(grace) } })
    })
    if (!done || !made) return
    onMade(made)
    await cache.invalidateQueries({ queryKey: ['tokens'] })
  }
  return (
    <Modal opened onClose={onClose} title={text.rotateTitle(token.name)}>
      <div className="stack">
        <p>{text.rotateText}</p>
        <Select
          label={text.grace}
          data={graces}
          value={form.values.grace}
          onChange={(grace) => form.set('grace', grace ?? '0')}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button loading={form.sending} onClick={() => void rotate()}>
            {text.rotateAction}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
