import { ServiceError } from '../../../contract/errors.ts'
import type { FactorKind } from '../../../contract/second-factor.ts'
import type { Ctx, Step } from '../../context.ts'
import { countTry, findChallenge, takeChallenge, type User } from '../second-factor/challenge.ts'
import { addFactor, beginEnrollment, type Confirmation, readEnrollment } from '../second-factor/enroll.ts'
import { type Answer, nameAnswer, type Verified, verifyAnswer } from '../second-factor/verify.ts'
import { openSession, subjectOf, type Tokens, tokensOf } from '../sessions/sessions.ts'
import { type Attempt, beginAttempt, forgiveAttempt } from '../throttle/throttle.ts'
import { recordLogin } from '../users/service.ts'
import { knownDevice } from './device.ts'
import { recordFailure } from './failures.ts'
import { assertLocalEnabled } from './local.ts'

const wrong = () =>
  new ServiceError('invalid_second_factor', 'The second factor is wrong, has expired, or was already used.')

/** Records that a second factor was wrong, and throws invalid_second_factor. */
async function refuse(ctx: Ctx, { id, email }: User, reason: string): Promise<never> {
  await recordFailure(ctx, email, reason, { userId: id, error_code: 'invalid_second_factor' })
  throw wrong()
}

class UsedMeanwhile extends Error {}

/**
 * Finishes a login: checks the second factor where there is an answer, opens the session, and forgets the failures of the
 * attempt. `also` is done in the session's transaction. Throws invalid_second_factor, which leaves the attempt counted.
 */
export async function enter(
  ctx: Ctx,
  user: User,
  { attempt, answer, signed = null }: { attempt: Attempt; answer?: Answer | undefined; signed?: string | null },
  also: (step: Step) => Promise<unknown>,
): Promise<Tokens> {
  let verified: Verified | null = null
  if (answer !== undefined) {
    verified = await verifyAnswer(ctx, user, answer, signed)
    if (verified === null) return refuse(ctx, user, nameAnswer(answer))
  }
  try {
    const session = await openSession(
      ctx,
      subjectOf(user),
      { method: 'local', factor: verified?.kind },
      async (step) => {
        if (verified !== null && !(await verified.use(step))) throw new UsedMeanwhile()
        await recordLogin(step.tx, user.id, ctx.now())
        await also(step)
      },
    )
    await forgiveAttempt(ctx, attempt)
    return await tokensOf(ctx, session)
  } catch (error) {
    if (error instanceof UsedMeanwhile && answer !== undefined) return refuse(ctx, user, nameAnswer(answer))
    throw error
  }
}

/** A challenge's login, whose failures count like wrong passwords. */
export const attemptOf = (ctx: Ctx, { email_key }: User, device: string | undefined): Attempt => ({
  kind: 'login',
  account: email_key,
  device: knownDevice(ctx, email_key, device),
})

export interface Entered {
  tokens: Tokens
  /** For the ticket of the browser. */
  email: string
}

/**
 * Answers the challenge of a login whose password was right. Every failure counts as one of the login. Throws invalid_state
 * if the challenge is over, and invalid_second_factor.
 */
export async function verifyLogin(
  ctx: Ctx,
  { challenge, device, ...answer }: Answer & { challenge: string; device?: string | undefined },
): Promise<Entered> {
  await assertLocalEnabled(ctx)
  const { row, user } = await findChallenge(ctx, challenge, 'login')
  const attempt = attemptOf(ctx, user, device)
  await beginAttempt(ctx, attempt)
  await countTry(ctx, row)
  const by = { attempt, answer, signed: row.passkey_challenge }
  const tokens = await enter(ctx, user, by, ({ tx }) => takeChallenge(tx, row))
  return { tokens, email: user.email }
}

/** Starts setting up the second factor that a login needs. Throws invalid_state, and conflict where there are no passkeys. */
export async function beginLoginEnrollment(ctx: Ctx, challenge: string, kind: FactorKind) {
  await assertLocalEnabled(ctx)
  const { row, user } = await findChallenge(ctx, challenge, 'login_enrollment')
  return beginEnrollment(ctx, row, user, kind)
}

/**
 * Finishes a login by setting up a second factor: its first, so that nobody adds one to an account that has got one
 * meanwhile. Throws invalid_state and invalid_second_factor.
 */
export async function finishLoginEnrollment(
  ctx: Ctx,
  { challenge, device, ...confirmation }: Confirmation & { challenge: string; device?: string | undefined },
): Promise<Entered & { recovery_codes: string[] }> {
  await assertLocalEnabled(ctx)
  const { row, user } = await findChallenge(ctx, challenge, 'login_enrollment')
  const attempt = attemptOf(ctx, user, device)
  await beginAttempt(ctx, attempt)
  await countTry(ctx, row)
  const factor = await readEnrollment(ctx, row, confirmation)
  if (factor === null) return refuse(ctx, user, nameAnswer({ otp: confirmation.otp }))
  let recovery_codes: string[] = []
  const session = await openSession(ctx, subjectOf(user), { method: 'local', factor: factor.kind }, async (step) => {
    await takeChallenge(step.tx, row)
    recovery_codes = (await addFactor(step, user.id, factor, { first: true })).recovery_codes ?? []
    await recordLogin(step.tx, user.id, ctx.now())
  })
  await forgiveAttempt(ctx, attempt)
  return { tokens: await tokensOf(ctx, session), email: user.email, recovery_codes }
}
