import type { Ctx } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import * as passwords from '../../secrets/passwords.ts'
import { loginDisabled } from '../sessions/sessions.ts'
import { settingsInForce } from '../settings/effective.ts'
import { type Attempt, retractAttempt } from '../throttle/throttle.ts'

/** Throws login_disabled where logins with a password are. */
export async function assertLocalEnabled(ctx: Ctx): Promise<void> {
  const { auth } = await settingsInForce(ctx)
  if (!auth.enable_local) throw loginDisabled()
}

/** Compares a password; an attempt that did not fit into the hash queue does not count as one. */
export const verifyPassword = (ctx: Ctx, attempt: Attempt, password: string, hash: string | null): Promise<boolean> =>
  passwords.verifyPassword(password, hash, ctx.config.bcryptCost).catch(async (busy: unknown) => {
    await retractAttempt(ctx, attempt)
    throw busy
  })

/** The same process acting for a user who logs in with a password, before they have a session. */
export const asUser = (ctx: Ctx, { id, email, display_name }: Row<'users'>): Ctx =>
  ctx.as({ ...ctx.actor, type: 'user', user_id: id, email, display_name, auth_method: 'local' })
