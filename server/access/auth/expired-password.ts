import { invalid } from '../../base/invalid.ts'
import type { Ctx, Step } from '../../context.ts'
import { assertSettable, hashPassword } from '../../secrets/passwords.ts'
import {
  countTry,
  enrollmentRequired,
  findChallenge,
  invalidChallenge,
  takeChallenge,
} from '../second-factor/challenge.ts'
import { hasFactor, isFactorNeeded } from '../second-factor/factors.ts'
import type { Answer } from '../second-factor/verify.ts'
import { beginAttempt, setAside } from '../throttle/throttle.ts'
import { replacePassword } from '../users/service.ts'
import { assertLocalEnabled, asUser, verifyPassword } from './local.ts'
import { attemptOf, type Entered, enter } from './second-step.ts'

/**
 * Finishes a login whose password was right and must be changed: sets the new one together with the session, so that none
 * exists before. Users with a second factor give it in the same request. Throws invalid_state if the challenge is over,
 * invalid_second_factor, and second_factor_enrollment_required with the password changed.
 */
export async function replaceExpiredPassword(
  ctx: Ctx,
  {
    challenge,
    new_password,
    device,
    ...answer
  }: Answer & { challenge: string; new_password: string; device?: string | undefined },
): Promise<Entered> {
  await assertLocalEnabled(ctx)
  assertSettable(new_password, 'body.new_password')
  const { row, user } = await findChallenge(ctx, challenge, 'password_change')
  const secured = await hasFactor(ctx.db, user.id)
  if (secured && Object.values(answer).every((one) => one === undefined))
    throw invalid('body', 'needs a second factor too')
  const attempt = attemptOf(ctx, user, device)
  await beginAttempt(ctx, attempt)
  await countTry(ctx, row)
  if (await verifyPassword(ctx, attempt, new_password, user.password_hash)) {
    await setAside(ctx, attempt)
    throw invalid('body.new_password', 'must not be the password that has to be changed')
  }
  const hash = await hashPassword(new_password, ctx.config.bcryptCost)
  const change = async (step: Step): Promise<void> => {
    await takeChallenge(step.tx, row)
    if (!(await replacePassword(step, user.id, { current: user.password_hash, next: hash, by: 'self' })))
      throw invalidChallenge()
    step.record({
      name: 'user_update',
      resource: { type: 'user', id: user.id },
      details: {
        email: user.email,
        before: { must_change_password: true },
        after: { must_change_password: false, password: 'changed' },
      },
    })
  }
  const changed = { ...user, password_hash: hash, token_version: user.token_version + 1 }
  if (!secured && (await isFactorNeeded(ctx, user.id))) {
    await asUser(ctx, user).act(change)
    await setAside(ctx, attempt)
    throw await enrollmentRequired(ctx, changed)
  }
  const by = { attempt, answer: secured ? answer : undefined, signed: row.passkey_challenge }
  return { tokens: await enter(ctx, changed, by, change), email: user.email }
}
