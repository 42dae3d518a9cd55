import type { Delivery, Webhook } from '../../../../contract/webhooks.ts'

/** When a queued delivery is sent: a first attempt not before an endpoint has cooled down, and none while it is off. */
export function nextAttempt(
  { enabled, cooling_until }: Pick<Webhook, 'enabled' | 'cooling_until'>,
  { event, attempts, next_attempt_at }: Pick<Delivery, 'event' | 'attempts' | 'next_attempt_at'>,
): string | null {
  if (next_attempt_at === null || event === 'ping') return next_attempt_at
  if (!enabled) return null
  const waits = attempts === 0 && cooling_until !== null && cooling_until > next_attempt_at
  return waits ? cooling_until : next_attempt_at
}
