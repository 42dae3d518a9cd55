import { Button, Modal, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { NewToken } from '../../../../contract/tokens.ts'
import { client } from '../../api/session.ts'
import { expiresIn } from '../../ui/ExpiryField.tsx'
import { text as common } from '../../ui/messages.ts'
import { useForm } from '../../ui/useForm.ts'
import { CredentialExpiry } from './CredentialExpiry.tsx'
import { lifetimeOf, useLifetimes } from './lifetimes.ts'
import { text } from './messages.ts'

export function CreateToken({ onMade, onClose }: { onMade: (token: NewToken) => void; onClose: () => void }) {
  const cache = useQueryClient()
  const { usual } = useLifetimes()
  const form = useForm({ name: '', expires_in: usual })
  const { name, expires_in: expiry } = form.values
  const length = expiresIn(expiry)
  const create = async () => {
    if (length === undefined) return
    let made: NewToken | undefined
    const done = await form.submit(async () => {
      made = await client.createToken({ body: { name: name.trim(), expires_in: lifetimeOf(length) } })
    })
    if (!done || !made) return
    onMade(made)
    await cache.invalidateQueries({ queryKey: ['tokens'] })
  }
  return (
    <Modal opened onClose={onClose} title={text.create}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <TextInput
          {...form.field('name')}
          label={text.name}
          description={text.nameHint}
          maxLength={100}
          autoComplete="off"
          data-autofocus
        />
        <CredentialExpiry
          value={expiry}
          onChange={(next) => form.set('expires_in', next)}
          error={form.faults.expires_in}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={name.trim() === '' || length === undefined}>
            {text.make}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
