import { ServiceError } from '../../../contract/errors.ts'
import type { Ctx } from '../../context.ts'
import * as passwords from '../../secrets/passwords.ts'
import { loginDisabled, openSession, subjectOf, type Tokens, tokensOf } from '../sessions/sessions.ts'
import { settingsInForce } from '../settings/effective.ts'
import { emailKey, recordLogin, renewPasswordHash, replacePassword } from '../users/service.ts'
import { findByEmailKey, findUser } from '../users/store.ts'
import { knownDevice } from './device.ts'
import { type Attempt, beginAttempt, forgiveAttempt, retractAttempt } from './throttle.ts'

/**
 * Login with email and password. Every failure looks the same and takes the same time, so that nobody can find out
 * which accounts exist. `device`: the browser's ticket from an earlier login (deviceTicket).
 */
export async function login(
  ctx: Ctx,
  { username, password, device }: { username: string; password: string; device?: string | undefined },
): Promise<Tokens> {
  await assertLocalEnabled(ctx)
  const account = emailKey(username)
  const attempt: Attempt = { kind: 'login', account, device: knownDevice(ctx, account, device) }
  await beginAttempt(ctx, attempt)
  const user = await findByEmailKey(ctx.db, account)
  const hash = user?.password_hash ?? null
  const matches = await verify(ctx, attempt, password, hash)
  if (!user || hash === null || !matches || user.disabled_at !== null) {
    const reason = !user ? 'unknown' : !matches ? (hash ? 'wrong_password' : 'no_password') : 'disabled'
    await recordFailure(ctx, username, reason, { userId: user?.id })
    throw new ServiceError('invalid_grant', 'Wrong email or password.')
  }
  const { bcryptCost } = ctx.config
  // If the queue is full, a later login renews the hash: this one has succeeded.
  const renewed = passwords.isOutdated(hash, bcryptCost)
    ? await passwords.hashPassword(password, bcryptCost).catch(() => null)
    : null
  const session = await openSession(ctx, subjectOf(user), 'local', async ({ tx }) => {
    await recordLogin(tx, user.id, ctx.now())
    if (renewed !== null) await renewPasswordHash(tx, user.id, hash, renewed)
  })
  await forgiveAttempt(ctx, attempt)
  return tokensOf(ctx, session)
}

async function assertLocalEnabled(ctx: Ctx): Promise<void> {
  const { auth } = await settingsInForce(ctx)
  if (!auth.enable_local) throw loginDisabled()
}

/** Compares a password; an attempt that did not fit into the hash queue does not count as one. */
const verify = (ctx: Ctx, attempt: Attempt, password: string, hash: string | null): Promise<boolean> =>
  passwords.verifyPassword(password, hash, ctx.config.bcryptCost).catch(async (busy: unknown) => {
    await retractAttempt(ctx, attempt)
    throw busy
  })

/** Records a failed login; `email` is what was typed, null if nothing was. */
export async function recordFailure(
  ctx: Ctx,
  email: string | null,
  reason: string,
  more: { userId: string | undefined; status_code?: number; error_code?: string },
): Promise<void> {
  const { userId, status_code = 401, error_code = 'invalid_grant' } = more
  await ctx.act(async ({ record }) =>
    record({
      name: 'login_failed',
      result: 'failure',
      status_code,
      error_code,
      ...(userId === undefined ? {} : { resource: { type: 'user', id: userId } }),
      details: { email: email?.slice(0, 320) ?? null, reason },
    }),
  )
}

/**
 * Changes the caller's password, which ends all their sessions, and opens a new one. Requires the current password, and
 * throttles guesses like logins.
 */
export async function changePassword(ctx: Ctx, current: string, next: string): Promise<Tokens> {
  await assertLocalEnabled(ctx)
  passwords.assertSettable(next, 'body.new_password')
  const user = await findUser(ctx.db, ctx.actor.user_id ?? '')
  const hash = user?.password_hash ?? null
  if (!user || hash === null)
    throw new ServiceError('conflict', 'You have no password to change: you log in through the identity provider.')
  const attempt: Attempt = { kind: 'login', account: user.email_key, device: ctx.actor.session_id }
  await beginAttempt(ctx, attempt)
  if (!(await verify(ctx, attempt, current, hash))) {
    await recordFailure(ctx, user.email, 'wrong_current_password', {
      userId: user.id,
      status_code: 422,
      error_code: 'invalid_request',
    })
    throw new ServiceError('invalid_request', 'The current password is wrong.', {
      faults: [{ path: 'body.current_password', message: 'is wrong' }],
    })
  }
  await forgiveAttempt(ctx, attempt)
  const nextHash = await passwords.hashPassword(next, ctx.config.bcryptCost)
  const subject = { ...subjectOf(user), token_version: user.token_version + 1 }
  const session = await openSession(ctx, subject, 'local', async (step) => {
    const { record } = step
    if (!(await replacePassword(step, user.id, hash, nextHash)))
      throw new ServiceError('conflict', 'The password was changed by someone else at the same time.')
    record({
      name: 'user_update',
      resource: { type: 'user', id: user.id },
      details: { email: user.email, before: {}, after: { password: 'changed' } },
    })
  })
  return tokensOf(ctx, session)
}
