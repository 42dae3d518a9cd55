import { ServiceError } from '../../../contract/errors.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx } from '../../context.ts'
import * as passwords from '../../secrets/passwords.ts'
import { enrollmentRequired, factorRequired, passwordChangeRequired } from '../second-factor/challenge.ts'
import { hasFactor, isFactorNeeded } from '../second-factor/factors.ts'
import { openSession, subjectOf, type Tokens, tokensOf } from '../sessions/sessions.ts'
import { type Attempt, beginAttempt, forgiveAttempt, setAside } from '../throttle/throttle.ts'
import { emailKey, renewPasswordHash, replacePassword } from '../users/service.ts'
import { findByEmailKey, findUser } from '../users/store.ts'
import { knownDevice } from './device.ts'
import { recordFailure } from './failures.ts'
import { assertLocalEnabled, verifyPassword } from './local.ts'
import { enter } from './second-step.ts'

export interface Login {
  username: string
  password: string
  /** A code of an authenticator app; ignored for users without a second factor. */
  otp?: string | undefined
  /** The browser's ticket from an earlier login (deviceTicket). */
  device?: string | undefined
}

/**
 * Login with email and password. Every failure looks the same and takes the same time, so that nobody can find out
 * which accounts exist, or have a second factor. Once the password is right, throws second_factor_required,
 * second_factor_enrollment_required or password_change_required with a challenge, or invalid_second_factor for a wrong
 * `otp`.
 */
export async function login(ctx: Ctx, { username, password, otp, device }: Login): Promise<Tokens> {
  await assertLocalEnabled(ctx)
  const account = emailKey(username)
  const attempt: Attempt = { kind: 'login', account, device: knownDevice(ctx, account, device) }
  await beginAttempt(ctx, attempt)
  const user = await findByEmailKey(ctx.db, account)
  const hash = user?.password_hash ?? null
  const matches = await verifyPassword(ctx, attempt, password, hash)
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
  const renew = async ({ tx }: { tx: Parameters<typeof renewPasswordHash>[0] }) =>
    renewed === null ? undefined : renewPasswordHash(tx, user.id, hash, renewed)
  if (user.must_change_password) {
    await setAside(ctx, attempt)
    throw await passwordChangeRequired(ctx, user)
  }
  const secured = await hasFactor(ctx.db, user.id)
  if (secured && otp === undefined) {
    await setAside(ctx, attempt)
    throw await factorRequired(ctx, user, renew)
  }
  if (!secured && (await isFactorNeeded(ctx, user.id))) {
    await setAside(ctx, attempt)
    throw await enrollmentRequired(ctx, user, renew)
  }
  return enter(ctx, user, { attempt, answer: secured ? { otp } : undefined }, renew)
}

/**
 * Changes the caller's password, which ends all their sessions, and opens a new one. Requires the current password, and
 * throttles guesses like logins. Throws conflict for those with a second factor whose session was opened without one.
 */
export async function changePassword(ctx: Ctx, current: string, next: string): Promise<Tokens> {
  await assertLocalEnabled(ctx)
  passwords.assertSettable(next, 'body.new_password')
  const user = await findUser(ctx.db, ctx.actor.user_id ?? '')
  const hash = user?.password_hash ?? null
  if (!user || hash === null)
    throw new ServiceError('conflict', 'You have no password to change: you log in through the identity provider.')
  const verified = ctx.actor.second_factor ?? false
  if (!verified && ((await hasFactor(ctx.db, user.id)) || (await isFactorNeeded(ctx, user.id))))
    throw new ServiceError(
      'conflict',
      'Log in with your password and second factor first: your new session would otherwise be without one.',
    )
  const attempt: Attempt = { kind: 'login', account: user.email_key, device: ctx.actor.session_id }
  await beginAttempt(ctx, attempt)
  if (!(await verifyPassword(ctx, attempt, current, hash))) {
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
  if (user.must_change_password && next.normalize('NFKC') === current.normalize('NFKC'))
    throw invalid('body.new_password', 'must not be the password that has to be changed')
  const nextHash = await passwords.hashPassword(next, ctx.config.bcryptCost)
  const subject = { ...subjectOf(user), token_version: user.token_version + 1 }
  const session = await openSession(ctx, subject, { method: 'local', verified }, async (step) => {
    const { record } = step
    if (!(await replacePassword(step, user.id, { current: hash, next: nextHash, by: 'self' })))
      throw new ServiceError('conflict', 'The password was changed by someone else at the same time.')
    record({
      name: 'user_update',
      resource: { type: 'user', id: user.id },
      details: { email: user.email, before: {}, after: { password: 'changed' } },
    })
  })
  return tokensOf(ctx, session)
}
