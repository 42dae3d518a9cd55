import { mailKinds } from '../../../contract/mail.ts'
import { DAY_MS, MINUTE_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import type { RowChange, Tx } from '../../db/schema.ts'
import { telemetryOf } from '../../observe/telemetry.ts'
import type { SmtpFailure } from '../../outbound/smtp-failure.ts'
import * as store from './store.ts'

/** Pauses after the first, second … failed attempt. There is one attempt more than pauses: the last after 20 hours. */
const PAUSES_MS = [1, 5, 30, 120, 360, 720].map((minutes) => minutes * MINUTE_MS)
/** What has waited for longer, because mail was off, says what is no longer so. */
const STALE_MS = 2 * DAY_MS

const free = { lease_token: null, lease_until: null }
/** A finished mail needs its text no more. */
const finished = { ...free, next_attempt_at: null, sealed_body: null }

/** Records what became of an attempt; `failure` is null if the server took the mail. */
export async function settle(ctx: Ctx, mail: store.Claimed, failure: SmtpFailure | null): Promise<void> {
  const now = ctx.now()
  const attempts = mail.attempts + 1
  if (failure === null) {
    const sent = { ...finished, status: 'sent' as const, attempts, last_error: null, sent_at: now.toISOString() }
    if (await ctx.upkeep(({ tx }) => store.updateClaimed(tx, mail, sent))) count(ctx, mail, 'sent')
    return
  }
  const { verdict, message } = failure
  ctx.log.warn({ err: failure, mail: mail.id, step: failure.step, verdict }, 'a mail was not sent')
  const pause = PAUSES_MS[mail.attempts]
  if (verdict === 'temporary' && pause !== undefined) {
    const next_attempt_at = new Date(now.getTime() + pause).toISOString()
    const again = { ...free, status: 'queued' as const, attempts, last_error: message, next_attempt_at }
    await ctx.upkeep(({ tx }) => store.updateClaimed(tx, mail, again))
    return
  }
  const outcome = verdict === 'unknown' ? 'unknown' : 'failed'
  await fail(ctx, mail, { outcome, attempts, error: message }, (tx, change) => store.updateClaimed(tx, mail, change))
}

/** Releases a mail that was not sent because the process stops, be it just as it was marked: the attempt does not count. */
export const release = (ctx: Ctx, mail: store.Claimed): Promise<unknown> =>
  ctx.upkeep(({ tx }) => store.updateClaimed(tx, mail, { ...free, status: 'queued' }))

/** Finishes mails whose sending was interrupted, and those that have waited for too long. */
export async function finishAbandoned(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  const interrupted =
    'The service stopped after the message was sent and before the mail server answered, or could not note the answer.'
  for (const mail of await store.findInterrupted(ctx.db, now))
    await abandon(ctx, mail, { outcome: 'unknown', attempts: mail.attempts + 1, error: interrupted })
  for (const mail of await store.findStale(ctx.db, new Date(now.getTime() - STALE_MS), now))
    await abandon(ctx, mail, {
      outcome: 'failed',
      attempts: mail.attempts,
      error: mail.last_error ?? 'Mail was off for too long.',
    })
}

const abandon = (ctx: Ctx, mail: store.MailRow, ending: Ending) =>
  fail(ctx, mail, ending, (tx, change) => store.finishAbandoned(tx, mail, change))

interface Ending {
  outcome: 'failed' | 'unknown'
  attempts: number
  error: string
}

/** Finishes a mail that was not sent, and records it; does nothing if another process finished it. */
async function fail(
  ctx: Ctx,
  mail: store.MailRow,
  { outcome, attempts, error }: Ending,
  write: (tx: Tx, change: RowChange<'mails'>) => Promise<boolean>,
): Promise<void> {
  const { id, kind, recipient } = mail
  const isOurs = await ctx.act(async ({ tx, record, nothing }) => {
    if (!(await write(tx, { ...finished, status: outcome, attempts, last_error: error }))) return nothing(false)
    record({
      name: 'mail_failed',
      resource: { type: 'mail', id },
      result: 'failure',
      details: { mail_id: id, kind, recipient, outcome, error },
    })
    return true
  })
  if (isOurs) count(ctx, mail, outcome)
}

const outcomes = ['sent', 'failed', 'unknown'] as const

/** Counts a mail that has ended. */
const count = ({ config }: Ctx, { kind }: store.MailRow, outcome: (typeof outcomes)[number]): void =>
  telemetryOf(config).metrics.strongroom_mail_outcomes_total.inc({ kind, outcome })

/** Shows all counts, be it as 0: Prometheus sees no increase in one that is 1 when it first appears. */
export function showCounts({ config }: Ctx): void {
  const { strongroom_mail_outcomes_total: ended } = telemetryOf(config).metrics
  for (const kind of mailKinds) for (const outcome of outcomes) ended.inc({ kind, outcome }, 0)
}
