import { newId } from '../../base/id.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../db/schema.ts'
import * as queue from './queue.ts'
import type { Outcome } from './send.ts'
import type { EndpointRow } from './store.ts'

/** Seconds to wait once the configured schedule is exhausted; the last one repeats. */
const TAIL = [7200, 18_000, 36_000]
const JITTER = 0.1
/** Seconds to wait after a proxy failure, which is not the receiver's fault. */
const PROXY_PAUSE = 60
/** Interrupted attempts that do not count. */
const FREE_INTERRUPTIONS = 3
const COOL_AFTER = 4
const COOL_SECONDS = 60
const MOST_COOL_SECONDS = 3600
const GIVEN_UP_FOR_DISABLING = 10

export const later = (from: Date, seconds: number): string => new Date(from.getTime() + seconds * 1000).toISOString()

/** Seconds to wait after a schedule's nth failed attempt; `random` is in [0, 1). */
export function pauseAfter({ webhooks }: Config, n: number, random: number, retryAfter: number | null): number {
  const { retrySchedule } = webhooks
  const beyond = Math.min(n - 1 - retrySchedule.length, TAIL.length - 1)
  const base = retrySchedule[n - 1] ?? TAIL[beyond] ?? 0
  // A receiver may ask for a longer wait, but at most twice as long.
  return Math.min(Math.max(base * (1 + JITTER * random), retryAfter ?? 0), 2 * base)
}

/** Seconds in an answer's Retry-After header (RFC 9110 section 10.2.3), for statuses that allow one; null without. */
function retryAfterOf({ answer, endedAt }: Pick<Outcome, 'answer' | 'endedAt'>): number | null {
  const value = answer?.headers?.['retry-after']
  if (value === undefined || (answer?.status !== 429 && answer?.status !== 503)) return null
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, (at - endedAt.getTime()) / 1000)
}

/** A delivery's row after a failed attempt. */
function nextState(config: Config, outcome: Outcome, failure: NonNullable<Outcome['failure']>) {
  const { delivery, answer, endedAt } = outcome
  const common = {
    id: delivery.id,
    lease_token: delivery.lease_token,
    attempts: delivery.attempts + 1,
    last_status_code: answer?.status ?? null,
    last_error: failure.text,
    acknowledged_at: delivery.acknowledged_at,
    resend_from: null,
    next_attempt_at: null,
  }
  const attempts = failure.kind === 'proxy' ? delivery.attempts : common.attempts
  if (delivery.resend_from !== null) return { ...common, attempts, status: delivery.resend_from }
  if (failure.kind === 'proxy')
    return { ...common, attempts, status: 'queued' as const, next_attempt_at: later(endedAt, PROXY_PAUSE) }
  const n = attempts - delivery.schedule_from
  if (n >= config.webhooks.maxAttempts) return { ...common, status: 'failed' as const }
  const pause = pauseAfter(config, n, Math.random(), retryAfterOf(outcome))
  return { ...common, status: 'queued' as const, next_attempt_at: later(endedAt, pause) }
}

/** An endpoint to disable, and why. */
export interface Verdict {
  endpointId: string
  reason: string
}

/** Writes the outcomes whose lease still holds, and returns them in the order in which they ended. */
async function writeDeliveries(tx: Tx, config: Config, outcomes: readonly Outcome[]) {
  const done = new Map<Outcome, { outcome: Outcome; givenUp: boolean }>()
  const well = outcomes.filter(({ failure }) => !failure)
  for (const [status, same] of Map.groupBy(well, ({ answer }) => answer?.status ?? null)) {
    const leases = same.map(({ delivery }) => delivery)
    const at = same[0]?.endedAt as Date
    const ids = new Set(await queue.writeAcknowledged(tx, leases, { status, at }))
    for (const outcome of same) if (ids.has(outcome.delivery.id)) done.set(outcome, { outcome, givenUp: false })
  }
  for (const outcome of outcomes) {
    if (!outcome.failure) continue
    const state = nextState(config, outcome, outcome.failure)
    const givenUp = state.status === 'failed' && outcome.delivery.resend_from === null
    if (await queue.writeOutcome(tx, state)) done.set(outcome, { outcome, givenUp })
  }
  return outcomes.flatMap((outcome) => done.get(outcome) ?? [])
}

/**
 * Step: stores outcomes, each with its attempt and effect on the endpoint's health. An outcome is dropped if another
 * process has taken over its lease or its delivery was deleted. Returns the endpoints to disable.
 */
export async function recordOutcomes(tx: Tx, config: Config, outcomes: readonly Outcome[]): Promise<Verdict[]> {
  const written = await writeDeliveries(tx, config, outcomes)
  await queue.insertAttempts(
    tx,
    written.map(({ outcome }) => attemptRow(outcome)),
  )
  const ofEndpoints = Map.groupBy(written, ({ outcome }) => outcome.delivery.webhook_id)
  const failing = [...ofEndpoints].filter(([, all]) => all.some(({ outcome }) => outcome.failure)).map(([id]) => id)
  const well = [...ofEndpoints.keys()].filter((id) => !failing.includes(id))
  if (well.length > 0) await queue.clearFailures(tx, well)
  if (failing.length === 0) return []
  const verdicts: Verdict[] = []
  for (const endpoint of await queue.lockEndpoints(tx, failing)) {
    const { change, reason } = healthAfter(config, endpoint, ofEndpoints.get(endpoint.id) ?? [])
    await queue.updateFailures(tx, endpoint.id, change)
    if (reason !== null && endpoint.disabled_at === null) verdicts.push({ endpointId: endpoint.id, reason })
  }
  return verdicts
}

/** An endpoint's health after outcomes in the order in which they ended. */
function healthAfter(
  { webhooks }: Config,
  endpoint: Pick<EndpointRow, 'failing_since' | 'failed_deliveries' | 'failures_in_row' | 'cooling_until'>,
  outcomes: readonly { outcome: Pick<Outcome, 'failure' | 'startedAt' | 'endedAt' | 'answer'>; givenUp: boolean }[],
) {
  let { failing_since, failed_deliveries, failures_in_row, cooling_until } = endpoint
  let reason: string | null = null
  for (const { outcome, givenUp } of outcomes) {
    const { failure, startedAt, endedAt, answer } = outcome
    if (failure?.kind === 'proxy' || failure?.kind === 'secret') continue
    if (!failure) {
      failing_since = null
      failed_deliveries = 0
      failures_in_row = 0
      cooling_until = null
      continue
    }
    failing_since ??= startedAt.toISOString()
    if (givenUp) failed_deliveries++
    // Attempts started before the cool-down, and retries during it, add no new information.
    if (cooling_until === null || Date.parse(cooling_until) <= startedAt.getTime()) {
      failures_in_row++
      const seconds = COOL_SECONDS * 2 ** Math.min(failures_in_row - COOL_AFTER, 10)
      if (failures_in_row >= COOL_AFTER) cooling_until = later(endedAt, Math.min(seconds, MOST_COOL_SECONDS))
    }
    if (answer?.status === 410) reason = 'The receiver answered 410 Gone.'
    const hours = (endedAt.getTime() - Date.parse(failing_since)) / HOUR_MS
    const { autoDisableHours } = webhooks
    if (autoDisableHours > 0 && hours >= autoDisableHours && failed_deliveries >= GIVEN_UP_FOR_DISABLING)
      reason ??= `Every attempt since ${failing_since} failed.`
  }
  return { change: { failing_since, failed_deliveries, failures_in_row, cooling_until }, reason }
}

function attemptRow({ delivery, startedAt, headers, answer, failure }: Outcome): queue.AttemptRow {
  return {
    id: newId(),
    delivery_id: delivery.id,
    number: delivery.attempts + 1,
    trigger: delivery.resend_from === null ? 'scheduled' : 'manual',
    started_at: startedAt.toISOString(),
    duration_ms: answer?.durationMs ?? 0,
    url: delivery.endpoint.url,
    ip: answer?.ip ?? null,
    request_headers: JSON.stringify(headers),
    status_code: answer?.status ?? null,
    response_headers: answer?.headers ? JSON.stringify(answer.headers) : null,
    ...bodyText(answer),
    response_truncated: answer?.truncated ? 1 : 0,
    error_class: failure?.kind ?? null,
    error: failure?.text ?? null,
  }
}

/** As text if both databases can store it, otherwise base64. */
function bodyText(answer: Outcome['answer']): Pick<queue.AttemptRow, 'response_body' | 'response_encoding'> {
  if (!answer || answer.status === null) return { response_body: null, response_encoding: null }
  const { body, truncated } = answer
  try {
    // Truncation may split a character; `stream` skips the incomplete rest.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body, { stream: truncated })
    if (!text.includes('\0')) return { response_body: text, response_encoding: 'utf-8' }
  } catch {
    // Not UTF-8.
  }
  return { response_body: body.toString('base64'), response_encoding: 'base64' }
}

/**
 * Step: records that the earlier attempts of claimed deliveries ended with their process. The first three do not count;
 * each further one counts as failed, since the delivery itself may be what crashes processes. Returns what is still to
 * be sent.
 */
export async function noteInterrupted(
  tx: Tx,
  config: Config,
  { deliveries, interrupted }: queue.Claim,
  now: Date,
): Promise<queue.Claimed[]> {
  const over = new Set<string>()
  for (const { delivery } of interrupted) {
    const { id, lease_token, interruptions } = delivery
    if (interruptions < FREE_INTERRUPTIONS) {
      await queue.updateLeased(tx, id, lease_token, { interruptions: interruptions + 1 })
      continue
    }
    const attempts = delivery.attempts + 1
    const isOver = delivery.resend_from !== null || attempts - delivery.schedule_from >= config.webhooks.maxAttempts
    await queue.updateLeased(tx, id, lease_token, {
      attempts,
      ...(isOver
        ? {
            status: delivery.resend_from ?? ('failed' as const),
            resend_from: null,
            next_attempt_at: null,
            last_error: INTERRUPTED,
            last_status_code: null,
            lease_token: null,
            lease_until: null,
            leased_at: null,
          }
        : {}),
    })
    if (isOver) over.add(id)
  }
  await queue.insertAttempts(
    tx,
    interrupted.map(({ delivery, leasedAt }) => interruptedRow(delivery, leasedAt, now)),
  )
  const counted = new Set(interrupted.filter(({ delivery }) => delivery.interruptions >= FREE_INTERRUPTIONS))
  const more = new Set([...counted].map(({ delivery }) => delivery.id))
  return deliveries
    .filter(({ id }) => !over.has(id))
    .map((one) => (more.has(one.id) ? { ...one, attempts: one.attempts + 1 } : one))
}

const INTERRUPTED = 'the process ended during the attempt'

const interruptedRow = (delivery: queue.Claimed, leasedAt: string, now: Date): queue.AttemptRow => ({
  id: newId(),
  delivery_id: delivery.id,
  number: delivery.attempts + 1,
  trigger: 'interrupted',
  started_at: leasedAt,
  duration_ms: Math.min(now.getTime() - Date.parse(leasedAt), 2 ** 31 - 1),
  url: delivery.endpoint.url,
  ip: null,
  request_headers: '{}',
  status_code: null,
  response_headers: null,
  response_body: null,
  response_encoding: null,
  response_truncated: 0,
  error_class: 'interrupted',
  error: INTERRUPTED,
})
