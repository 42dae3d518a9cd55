import { ServiceError } from '../../../contract/errors.ts'
import type { Ctx } from '../../context.ts'
import { assertSettable, hashPassword } from '../../secrets/passwords.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { beginAttempt } from '../throttle/throttle.ts'
import { findInvitation, takeInvitation } from '../users/invitations.ts'
import { replacePassword } from '../users/service.ts'
import { enterByLink } from './by-link.ts'
import { recordFailure } from './failures.ts'
import { assertLocalEnabled, asUser } from './local.ts'
import type { Entered } from './second-step.ts'

const over = () =>
  new ServiceError(
    'gone',
    'This invitation has expired, was used, or was replaced by a newer one. Ask whoever invited you for a new one.',
  )

/** The open invitation of a link's token; guesses are throttled like those at setup links. Throws gone. */
async function openInvitation(ctx: Ctx, token: string) {
  const found = await findInvitation(ctx, token)
  if (found) return found
  await beginAttempt(ctx, { kind: 'setup', account: `invitation ${hashSecret(token)}` })
  await recordFailure(ctx, null, 'invitation', { userId: undefined, status_code: 410, error_code: 'gone' })
  throw over()
}

/** Whom a link invites. Throws gone, and login_disabled where nobody logs in with a password. */
export async function readInvitation(ctx: Ctx, token: string) {
  await assertLocalEnabled(ctx)
  const { email, display_name, expires_at } = await openInvitation(ctx, token)
  return { email, display_name, expires_at }
}

/**
 * Gives the invited user their password, ends their earlier sessions, and logs them in. Throws gone, and where a second
 * factor is asked for, second_factor_required or second_factor_enrollment_required with a challenge: the password is set.
 */
export async function acceptInvitation(
  ctx: Ctx,
  { token, password }: { token: string; password: string },
): Promise<Entered> {
  await assertLocalEnabled(ctx)
  const { expires_at: _, ...user } = await openInvitation(ctx, token)
  assertSettable(password, 'body.password')
  const hash = await hashPassword(password, ctx.config.bcryptCost)
  await asUser(ctx, user).act(async (step) => {
    if (!(await takeInvitation(step, user.id, token))) throw over()
    if (!(await replacePassword(step, user.id, { current: null, next: hash, by: 'invitation' }))) throw over()
    const { id, email } = user
    step.record({ name: 'invitation_accept', resource: { type: 'user', id }, details: { email } })
  })
  return enterByLink(ctx, { ...user, password_hash: hash, token_version: user.token_version + 1 })
}
