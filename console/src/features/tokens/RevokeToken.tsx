import { Button, Checkbox, Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Token } from '../../../../contract/tokens.ts'
import { client } from '../../api/session.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'

/** Revokes a token, and optionally those created with it. */
export function RevokeToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const cache = useQueryClient()
  const form = useForm({ cascade: false })
  const revoke = async () => {
    const { cascade } = form.values
    if (!(await form.submit(() => client.revokeToken({ params: { id: token.id }, query: { cascade } })))) return
    notify.ok(text.revokedNote(token.name))
    onClose()
    await cache.invalidateQueries({ queryKey: ['tokens'] })
  }
  return (
    <Modal opened onClose={onClose} title={text.revokeTitle(token.name)}>
      <div className="stack">
        <p>{text.revokeText}</p>
        <Checkbox
          label={text.cascade}
          checked={form.values.cascade}
          onChange={(event) => form.set('cascade', event.currentTarget.checked)}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button color="danger" loading={form.sending} onClick={() => void revoke()} data-autofocus>
            {text.revokeAction}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
