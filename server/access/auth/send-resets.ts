import type { Action } from '../../../contract/actions.ts'
import { HOUR_MS, SECOND_MS } from '../../base/time.ts'
import type { Ctx, Origin, Step } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { randomToken } from '../../secrets/random.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { publicActor } from '../actors.ts'
import { enqueueMail } from '../mail/enqueue.ts'
import { passwordReset } from '../mail/messages.ts'
import { settingsInForce } from '../settings/effective.ts'
import { findByEmailKey } from '../users/store.ts'
import { RESET_MS } from './password-reset.ts'
import * as store from './store.ts'

/** Who has waited for longer does not wait any more. */
const LATE_MS = HOUR_MS

type Request = Row<'password_reset_requests'>
type Reason = NonNullable<Extract<Action, { name: 'password_reset_request' }>['details']['reason']>

/** Answers who has forgotten their password, one after the other, and records each with the origin of the request. */
export const resetSender = {
  name: 'password-resets',
  every: 5 * SECOND_MS,
  async run(ctx: Ctx): Promise<void> {
    while (!ctx.stopping.aborted) {
      const request = await store.findResetRequest(ctx.db)
      if (!request) return
      await ctx.as(publicActor(JSON.parse(request.origin) as Origin)).act((step) => answer(step, request))
    }
  },
}

/** Step: sends a link to the user of the address, if they sign in with a password. */
async function answer(step: Step, request: Request) {
  const { tx, record, nothing } = step
  if (!(await store.takeResetRequest(tx, request.id))) return nothing(undefined)
  const user = await findByEmailKey(tx, request.email_key)
  const reason = (await reasonAgainst(step, request, user)) ?? (user ? await send(step, request, user) : 'unknown')
  record({
    name: 'password_reset_request',
    ...(user ? { resource: { type: 'user', id: user.id } } : {}),
    result: reason === null ? 'success' : 'failure',
    details: { email: request.email, ...(reason === null ? {} : { reason }) },
  })
  return undefined
}

/** Step: why no link is sent; null if one is. */
async function reasonAgainst(
  step: Step,
  { requested_at }: Request,
  user: Row<'users'> | undefined,
): Promise<Reason | null> {
  if (step.now().getTime() - Date.parse(requested_at) > LATE_MS) return 'late'
  if (!(await settingsInForce(step)).auth.enable_local) return 'login_disabled'
  if (!user) return 'unknown'
  if (user.disabled_at !== null) return 'disabled'
  return user.password_hash === null ? 'no_password' : null
}

/** Step: makes a link and queues the mail with it; only the hash of its token is stored. */
async function send(step: Step, { language }: Request, user: Row<'users'>): Promise<Reason | null> {
  const { tx, now } = step
  const token = randomToken()
  const token_hash = hashSecret(token)
  const expires_at = new Date(now().getTime() + RESET_MS).toISOString()
  const { id: user_id, email, email_key, token_version } = user
  const mails = await enqueueMail(step, {
    kind: 'password_reset',
    about: token_hash,
    to: { address: email, language: user.language ?? language },
    message: passwordReset({ token, expires_at }),
  })
  if (mails === 0) return 'mail_off'
  await store.insertReset(tx, { token_hash, user_id, email_key, token_version, expires_at })
  return null
}
