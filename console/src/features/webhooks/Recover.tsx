import { Button, Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Webhook } from '../../../../contract/webhooks.ts'
import { client } from '../../api/session.ts'
import { localValue } from '../../ui/ExpiryField.tsx'
import { MomentField } from '../../ui/MomentField.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { deliveryText as text } from './messages.ts'

const DAY_MS = 86_400_000

/** Queues deliveries that failed since a given time again. */
export function Recover({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const cache = useQueryClient()
  const form = useForm({ since: localValue(new Date(Date.now() - DAY_MS)) })
  const since = new Date(form.values.since)
  const known = Number.isFinite(since.getTime())
  const recover = async () => {
    const done = await form.submit(async () => {
      const { requeued } = await client.recoverWebhook({
        params: { id: webhook.id },
        body: { since: since.toISOString() },
      })
      notify.ok(text.recovered(requeued))
    })
    if (!done) return
    onClose()
    await cache.invalidateQueries({ queryKey: ['webhooks'] })
  }
  return (
    <Modal opened onClose={onClose} title={text.recoverTitle}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (known) void recover()
        }}
      >
        <p>{text.recoverText}</p>
        <MomentField {...form.field('since')} label={text.recoverSince} />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!known}>
            {text.recoverAction}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
