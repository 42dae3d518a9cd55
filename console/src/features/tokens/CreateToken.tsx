import { Button, Modal, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { NewToken } from '../../../../contract/tokens.ts'
import { client } from '../../api/session.ts'
import { text as common } from '../../ui/messages.ts'
import { CredentialExpiry } from './CredentialExpiry.tsx'
import { LimitFields } from './LimitFields.tsx'
import { text } from './messages.ts'
import { useNewCredential } from './useNewCredential.ts'

export function CreateToken({
  bucket,
  onMade,
  onClose,
}: {
  /** What it is limited to at first. */
  bucket: string | undefined
  onMade: (token: NewToken) => void
  onClose: () => void
}) {
  const cache = useQueryClient()
  const { form, body } = useNewCredential(bucket)
  const { expires_in: expiry, scope: limits } = form.values
  const create = async () => {
    if (!body) return
    let made: NewToken | undefined
    const done = await form.submit(async () => {
      made = await client.createToken({ body })
    })
    if (!done || !made) return
    onMade(made)
    await cache.invalidateQueries({ queryKey: ['tokens'] })
  }
  return (
    <Modal opened onClose={onClose} title={text.create} size={limits.limited ? '62rem' : 'md'}>
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
        <LimitFields value={limits} onChange={(next) => form.set('scope', next)} faults={form.faults} />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!body}>
            {text.make}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
