import { ServiceError } from '../../../contract/errors.ts'
import type { Proof } from '../../../contract/second-factor.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx, Step } from '../../context.ts'
import { type Challenge, countTry, findChallenge, takeChallenge, type User } from '../second-factor/challenge.ts'
import { hasFactor } from '../second-factor/factors.ts'
import { type Answer, nameAnswer, verifyAnswer } from '../second-factor/verify.ts'
import { type Attempt, beginAttempt, forgiveAttempt } from '../throttle/throttle.ts'
import { findUser } from '../users/store.ts'
import { recordFailure } from './failures.ts'
import { verifyPassword } from './local.ts'

/** Who proved that the account is theirs. */
export interface Proven {
  user: User
  /** Step: uses up the second factor, if that was the proof. Throws invalid_request if someone else did meanwhile. */
  use(step: Step): Promise<void>
}

const wrong = (proof: Proof): ServiceError => invalid(`body.proof.${Object.keys(proof)[0]}`, 'is wrong')

/** Records that a proof was wrong, and throws invalid_request. */
async function refuse(ctx: Ctx, { id, email }: User, reason: string, proof: Proof): Promise<never> {
  await recordFailure(ctx, email, reason, { userId: id, status_code: 422, error_code: 'invalid_request' })
  throw wrong(proof)
}

/**
 * Checks the caller's password or second factor; guesses are throttled like logins. The password alone does not count for
 * somebody with a second factor whose session was opened without one: it would undo what the second factor is for. Throws
 * invalid_request, rate_limited, and invalid_state for a passkey's challenge that is over or another user's.
 */
export async function prove(ctx: Ctx, proof: Proof): Promise<Proven> {
  const user = await findUser(ctx.db, ctx.actor.user_id ?? '')
  if (!user) throw new ServiceError('not_found', 'No such user.')
  const { current_password, passkey, ...codes } = proof
  if (current_password !== undefined && !ctx.actor.second_factor && (await hasFactor(ctx.db, user.id)))
    throw invalid(
      'body.proof.current_password',
      'is not enough, because this session was opened without a second factor: give one instead',
    )
  const attempt: Attempt = { kind: 'login', account: user.email_key, device: ctx.actor.session_id }
  await beginAttempt(ctx, attempt)
  if (current_password !== undefined) {
    if (!(await verifyPassword(ctx, attempt, current_password, user.password_hash)))
      return refuse(ctx, user, 'wrong_current_password', proof)
    await forgiveAttempt(ctx, attempt)
    return { user, use: async () => undefined }
  }
  const answer: Answer = { ...codes, passkey: passkey?.credential }
  const challenge = passkey && (await openProof(ctx, user, passkey.challenge))
  const verified = await verifyAnswer(ctx, user, answer, challenge?.passkey_challenge ?? null)
  if (verified === null) return refuse(ctx, user, nameAnswer(answer), proof)
  await forgiveAttempt(ctx, attempt)
  return {
    user,
    async use(step) {
      if (challenge) await takeChallenge(step.tx, challenge)
      if (!(await verified.use(step))) throw wrong(proof)
    },
  }
}

/** The challenge of a proof by passkey, with this try counted. Throws invalid_state. */
async function openProof(ctx: Ctx, { id }: User, challenge: string): Promise<Challenge> {
  const { row } = await findChallenge(ctx, challenge, 'proof')
  if (row.user_id !== id) throw new ServiceError('invalid_state', 'This challenge is another user’s.')
  await countTry(ctx, row)
  return row
}
