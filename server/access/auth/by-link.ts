import type { Ctx } from '../../context.ts'
import { enrollmentRequired, factorRequired, type User } from '../second-factor/challenge.ts'
import { hasFactor, isFactorNeeded } from '../second-factor/factors.ts'
import { openSession, subjectOf, tokensOf } from '../sessions/sessions.ts'
import { recordLogin } from '../users/service.ts'
import type { Entered } from './second-step.ts'

/**
 * Logs in a user who has just chosen a password with a link. Throws second_factor_required or
 * second_factor_enrollment_required with a challenge: a link never stands for a second factor.
 */
export async function enterByLink(ctx: Ctx, user: User): Promise<Entered> {
  if (await hasFactor(ctx.db, user.id)) throw await factorRequired(ctx, user)
  if (await isFactorNeeded(ctx, user.id)) throw await enrollmentRequired(ctx, user)
  const session = await openSession(ctx, subjectOf(user), { method: 'local', signedInWith: 'link' }, ({ tx }) =>
    recordLogin(tx, user.id, ctx.now()),
  )
  return { tokens: await tokensOf(ctx, session), email: user.email }
}
