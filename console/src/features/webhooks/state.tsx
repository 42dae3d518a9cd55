import type { Delivery, Webhook } from '../../../../contract/webhooks.ts'
import { formatAgo } from '../../i18n.ts'
import { Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { deliveryText, text } from './messages.ts'

/** An endpoint's state, and why it is off. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { enabled, disabled_reason, failing_since, cooling_until, rotation } = webhook
  if (!enabled)
    return (
      <span className="row">
        <Status tone={disabled_reason === null ? 'idle' : 'bad'}>
          {disabled_reason === null ? text.paused : text.disabled}
        </Status>
        <span className="dim small">{disabled_reason ?? text.pausedHint}</span>
      </span>
    )
  return (
    <span className="row">
      {failing_since === null ? (
        <Status tone="ok">{text.active}</Status>
      ) : (
        <>
          <Status tone="warn">{text.failing}</Status>
          <span className="dim small">
            {text.since} <TimeAgo time={failing_since} />
            {cooling_until === null ? '' : `, ${text.coolingUntil(formatAgo(cooling_until))}`}
          </span>
        </>
      )}
      {rotation === null ? null : <Status tone="note">{text.rotating}</Status>}
    </span>
  )
}

const tones: Record<Delivery['status'], Tone> = { queued: 'idle', acknowledged: 'ok', failed: 'bad' }
/** A delivery's state. */
export const DeliveryState = ({
  delivery: { status, attempts },
}: {
  delivery: Pick<Delivery, 'status' | 'attempts'>
}) =>
  status === 'queued' && attempts > 0 ? (
    <Status tone="warn">{deliveryText.retrying}</Status>
  ) : (
    <Status tone={tones[status]}>{deliveryText[status]}</Status>
  )

export function NextAttempt({ time }: { time: string | null }) {
  if (time === null) return null
  return Date.parse(time) <= Date.now() ? deliveryText.due : <TimeAgo time={time} />
}
