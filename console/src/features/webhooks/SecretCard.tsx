import { Button, Modal, Select } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewWebhook, Webhook } from '../../../../contract/webhooks.ts'
import { client } from '../../api/session.ts'
import { formatAgo } from '../../i18n.ts'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'
import { RevealSecret, Verify } from './RevealSecret.tsx'

const graces = [
  { value: '0', label: text.graceNone },
  { value: '3600', label: text.graceHour },
  { value: '86400', label: text.graceDay },
  { value: '604800', label: text.graceWeek },
]

/** The signing secret: rotates it, and shows when the new one becomes active. */
export function SecretCard({ webhook }: { webhook: Webhook }) {
  const cache = useQueryClient()
  const params = { id: webhook.id }
  const [rotating, setRotating] = useState(false)
  // A secret exists only here, and only while it is shown.
  const [made, setMade] = useState<NewWebhook>()
  const form = useForm({ grace_seconds: '86400' })
  const refresh = () => cache.invalidateQueries({ queryKey: ['webhooks'] })
  const rotate = async () => {
    const done = await form.submit(async ({ grace_seconds }) =>
      setMade(await client.rotateWebhookSecret({ params, body: { grace_seconds: Number(grace_seconds) } })),
    )
    if (!done) return
    setRotating(false)
    await refresh()
  }
  const promote = async () => {
    const sure = await confirm({
      title: text.promoteTitle,
      children: text.promoteText,
      action: text.promoteAction,
      danger: false,
    })
    if (!sure) return
    try {
      await client.promoteWebhookSecret({ params })
      notify.ok(text.promoted)
    } catch (error) {
      notify.problem(error)
    }
    await refresh()
  }
  return (
    <section className="card stack" aria-label={text.secret}>
      <div className="row">
        <div className="grow webhooks-grow">
          <h2>{text.secret}</h2>
          <p className="dim small">{text.secretHint}</p>
        </div>
        {webhook.rotation === null ? (
          <Button variant="default" onClick={() => setRotating(true)}>
            {text.rotate}
          </Button>
        ) : (
          <Button variant="default" onClick={() => void promote()}>
            {text.promote}
          </Button>
        )}
      </div>
      {webhook.rotation === null ? null : <p>{text.waits(formatAgo(webhook.rotation.promotes_at))}</p>}
      <Verify />
      {rotating ? (
        <Modal opened onClose={() => setRotating(false)} title={text.rotateTitle}>
          <div className="stack">
            <p>{text.rotateText}</p>
            <Select
              label={text.grace}
              data={graces}
              value={form.values.grace_seconds}
              onChange={(grace) => form.set('grace_seconds', grace ?? '0')}
              error={form.faults.grace_seconds}
            />
            <div className="dialog-actions">
              <Button variant="default" onClick={() => setRotating(false)}>
                {common.cancel}
              </Button>
              <Button loading={form.sending} onClick={() => void rotate()}>
                {text.rotateAction}
              </Button>
            </div>
          </div>
        </Modal>
      ) : null}
      {made ? (
        <RevealSecret secret={made.secret} title={text.secretRotated} onClose={() => setMade(undefined)} />
      ) : null}
    </section>
  )
}
