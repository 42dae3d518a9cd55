// A forgotten password is replaced with a link by mail.
import { ServiceError } from '../../../contract/errors.ts'
import type { LanguageTag } from '../../../contract/languages.ts'
import { newId } from '../../base/id.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { assertSettable, hashPassword } from '../../secrets/passwords.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { settingsInForce } from '../settings/effective.ts'
import { mailServerOf } from '../settings/mail.ts'
import { beginAttempt, countMailRequest } from '../throttle/throttle.ts'
import { emailKey, lockForLogin, replacePassword } from '../users/service.ts'
import { enterByLink } from './by-link.ts'
import { recordFailure } from './failures.ts'
import { assertLocalEnabled, asUser } from './local.ts'
import type { Entered } from './second-step.ts'
import * as store from './store.ts'

/** How long a link works. */
export const RESET_MS = HOUR_MS

/**
 * Notes that somebody asks for a new password for an address. It only stores that, whatever the address is: a worker looks
 * whose it is, so that neither the answer nor its time says whether there is such an account. An address gets three links
 * an hour; whoever asks for more gets the same answer. Throws conflict where mail is off, and rate_limited per network.
 */
export async function requestPasswordReset(
  ctx: Ctx,
  { email, language }: { email: string; language?: LanguageTag | undefined },
): Promise<{ expires_in: number }> {
  await assertLocalEnabled(ctx)
  if (mailServerOf(await settingsInForce(ctx)) === null)
    throw new ServiceError('conflict', 'No mail can be sent here. Ask an administrator for a new password.')
  const email_key = emailKey(email)
  const { request_id, ip, user_agent, method, route } = ctx.actor.origin
  const row = {
    id: newId(),
    email,
    email_key,
    language: language ?? null,
    origin: JSON.stringify({ request_id, ip, user_agent, method, route }),
    requested_at: ctx.now().toISOString(),
  }
  await ctx.upkeep(async (step) => {
    if (await countMailRequest(step, email_key)) await store.insertResetRequest(step.tx, row)
  })
  return { expires_in: RESET_MS / 1000 }
}

const over = () =>
  new ServiceError('gone', 'This link has expired or was used, or the password was changed since. Ask for a new one.')

/** The user of a link's token; guesses are throttled like those at setup links. Throws gone. */
async function openReset(ctx: Ctx, token: string) {
  const hash = hashSecret(token)
  const found = await store.findOpenReset(ctx.db, hash, ctx.now())
  if (found) return found
  await beginAttempt(ctx, { kind: 'setup', account: `password reset ${hash}` })
  await recordFailure(ctx, null, 'password_reset', { userId: undefined, status_code: 410, error_code: 'gone' })
  throw over()
}

/** Whose password a link replaces. Throws gone, and login_disabled where nobody logs in with a password. */
export async function readPasswordReset(ctx: Ctx, token: string) {
  await assertLocalEnabled(ctx)
  const { email, expires_at } = await openReset(ctx, token)
  return { email, expires_at }
}

/**
 * Replaces the password, ends the user's sessions and their other links, and logs them in. Throws gone, and where there is
 * or must be a second factor, second_factor_required or second_factor_enrollment_required with a challenge: the password is
 * replaced then.
 */
export async function resetPassword(
  ctx: Ctx,
  { token, password }: { token: string; password: string },
): Promise<Entered> {
  await assertLocalEnabled(ctx)
  const { expires_at: _, ...user } = await openReset(ctx, token)
  assertSettable(password, 'body.password')
  const hash = await hashPassword(password, ctx.config.bcryptCost)
  await asUser(ctx, user).act(async (step) => {
    const { tx, now, record } = step
    const { id, email } = user
    await lockForLogin(tx, id)
    if (!(await store.findOpenReset(tx, hashSecret(token), now()))) throw over()
    if (!(await replacePassword(step, id, { current: user.password_hash, next: hash, by: 'reset_link' }))) throw over()
    await store.deleteResetsOf(tx, id)
    record({ name: 'password_reset', resource: { type: 'user', id }, details: { email } })
  })
  return enterByLink(ctx, {
    ...user,
    password_hash: hash,
    must_change_password: 0,
    token_version: user.token_version + 1,
  })
}
