import { newId } from '../../base/id.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { SmtpFailure, type SmtpStep } from '../../outbound/smtp-failure.ts'
import { settingsInForce } from '../settings/effective.ts'
import { type MailServer, mailServerOf } from '../settings/mail.ts'
import { type Body, openBody } from './body.ts'
import { finishAbandoned, release, settle, showCounts } from './outcomes.ts'
import { sendMail } from './send.ts'
import * as store from './store.ts'

/** How much longer than an attempt its lease lasts: clocks may differ, and the outcome has to be written. */
const LEASE_MARGIN_MS = 30 * SECOND_MS
const KEPT_MS = 30 * DAY_MS
/** What would fail the same way for every other mail. */
const ofTheServer: readonly SmtpStep[] = ['connect', 'tls', 'login', 'sender']

/** Another process has claimed the mail since. */
class ClaimLost extends Error {}

/** Sends due mails, one after the other. Where the server itself fails, the others wait for the next run. */
export const mailDispatcher = {
  name: 'mail-dispatcher',
  every: 5 * SECOND_MS,
  async run(ctx: Ctx): Promise<void> {
    showCounts(ctx)
    await finishAbandoned(ctx)
    while (!ctx.stopping.aborted) {
      const server = mailServerOf(await settingsInForce(ctx))
      const mail = server && (await claim(ctx))
      if (!server || !mail) return
      const outcome = await attempt(ctx, server, mail)
      if (outcome === 'lost') continue
      if (outcome?.verdict === 'temporary' && !outcome.isAnswer && ctx.stopping.aborted) await release(ctx, mail)
      else await settle(ctx, mail, outcome)
      if (outcome && ofTheServer.includes(outcome.step)) return
    }
  },
}

/** Deletes finished mails after a month. */
export const forgetMails = {
  name: 'mail-expiry',
  every: HOUR_MS,
  deletesByAge: true as const,
  run: async (ctx: Ctx): Promise<void> => {
    await ctx.upkeep(({ tx }) => store.deleteFinished(tx, new Date(ctx.now().getTime() - KEPT_MS)))
  },
}

const leaseEnd = ({ config, now }: Ctx) => new Date(now().getTime() + config.mail.timeoutMs + LEASE_MARGIN_MS)

async function claim(ctx: Ctx): Promise<store.Claimed | undefined> {
  const { mail } = await ctx.upkeep(async ({ tx, now }) => ({
    mail: await store.claimDue(tx, { now: now(), until: leaseEnd(ctx), token: newId() }),
  }))
  return mail
}

/**
 * Sends a claimed mail. It is marked as being sent, on disk, after the server has agreed to take it and before it gets the
 * contents: a mail without the mark can be sent again, one with it never is.
 */
async function attempt(ctx: Ctx, server: MailServer, mail: store.Claimed): Promise<SmtpFailure | 'lost' | null> {
  const { config, stopping } = ctx
  let body: Body
  try {
    body = openBody(config, mail)
  } catch (error) {
    return new SmtpFailure({ step: 'message', verdict: 'permanent' }, 'The stored mail cannot be decrypted.', error)
  }
  const limit = new AbortController()
  const end = () => limit.abort(new Error('No time is left for the mail'))
  const timer = setTimeout(end, config.mail.timeoutMs)
  stopping.addEventListener('abort', end, { once: true })
  const beforeContents = async () => {
    const change = { status: 'sending' as const, lease_until: leaseEnd(ctx).toISOString() }
    if (!(await ctx.upkeep(({ tx }) => store.updateClaimed(tx, mail, change)))) throw new ClaimLost()
    // Whoever stops the process waits for the answer: without it, nobody would know whether the mail was sent.
    stopping.removeEventListener('abort', end)
  }
  const { id, recipient, subject } = mail
  try {
    const date = new Date(mail.created_at)
    await sendMail(config, server, { id, recipient, subject, ...body, date }, { signal: limit.signal, beforeContents })
    return null
  } catch (error) {
    if (error instanceof SmtpFailure) return error
    if (error instanceof ClaimLost) return 'lost'
    throw error
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', end)
  }
}
