import { randomBytes } from 'node:crypto'
import { ServiceError } from '../../../contract/errors.ts'
import { newId } from '../../base/id.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { assertSettable, hashPassword } from '../../secrets/passwords.ts'
import { systemActor } from '../actors.ts'
import { joinGroups } from '../groups/members.ts'
import { ensureAdministrators } from '../groups/service.ts'
import { revokeSessionsOf } from '../sessions/service.ts'
import { assertPerson, emailKey, insertUser } from './service.ts'
import { newPasswordFor, tellOfSignIn } from './sign-in-notices.ts'
import * as store from './store.ts'

export const newPassword = (): string => randomBytes(15).toString('base64url')

/** A password, and whether the service generated it: then it is to be replaced. */
interface Chosen {
  password: string
  generated: boolean
}

/** Creates a user in the built-in group of administrators; `already_exists` if the address is in use. */
export async function createAdmin(
  ctx: Ctx,
  email: string,
  display_name: string,
  { password, generated }: Chosen,
): Promise<void> {
  assertSettable(password, 'password')
  const password_hash = await hashPassword(password, ctx.config.bcryptCost)
  const admin = { email, display_name, password_hash, password_generated: generated ? 1 : null }
  await ctx.act((step) => insertAdmin(step, admin))
}

/** Step: creates a user in the built-in group of administrators; `already_exists` if the address is in use. */
export async function insertAdmin(
  step: Step,
  {
    email,
    ...admin
  }: { email: string; display_name: string; password_hash: string; password_generated?: number | null },
): Promise<Row<'users'>> {
  const { tx, record } = step
  const group = await ensureAdministrators(step)
  const user = await insertUser(tx, { id: newId(), email, ...admin }, step.now())
  if (!user) throw new ServiceError('already_exists', `A user with the address "${email}" already exists.`)
  await joinGroups(tx, systemActor, { userId: user.id, groupIds: [group.id], at: user.created_at })
  record({
    name: 'user_create',
    resource: { type: 'user', id: user.id },
    details: { email: user.email, display_name: user.display_name, group_ids: [group.id] },
  })
  return user
}

/**
 * Creates the first administrator if there is no user yet and no setup link is to create one. Returns the password if
 * it was generated, else null; undefined if there was nothing to do. Safe when several replicas start at once.
 */
export async function createFirstAdmin(ctx: Ctx): Promise<{ email: string; password: string | null } | undefined> {
  if (ctx.config.setupLink || (await store.hasUsers(ctx.db))) return undefined
  const { adminEmail: email, adminPassword } = ctx.config.bootstrap
  const password = adminPassword ?? newPassword()
  try {
    await createAdmin(ctx, email, 'Administrator', { password, generated: adminPassword === null })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'already_exists') return undefined
    throw error
  }
  return { email, password: adminPassword === null ? password : null }
}

/** Sets a user's password and enables them; their sessions end. Throws not_found, and conflict for a service account. */
export async function resetPassword(ctx: Ctx, email: string, { password, generated }: Chosen): Promise<void> {
  assertSettable(password, 'password')
  const password_hash = await hashPassword(password, ctx.config.bcryptCost)
  await ctx.act(async (step) => {
    const { tx, record } = step
    const found = await store.findByEmailKey(tx, emailKey(email))
    const user = found && (await store.lockUser(tx, found.id))
    if (!user) throw new ServiceError('not_found', `No user has the address "${email}".`)
    assertPerson(user)
    await revokeSessionsOf(tx, user.id, ctx.now())
    const changes = {
      password_hash,
      ...(generated ? { password_generated: 1 } : {}),
      must_change_password: 0,
      disabled_at: null,
      token_version: user.token_version + 1,
    }
    await store.updateUser(tx, user.id, changes)
    await tellOfSignIn(
      step,
      user,
      { ...user, ...changes },
      { changes: [{ change: newPasswordFor(user) }], by: 'administrator' },
    )
    record({
      name: 'user_update',
      resource: { type: 'user', id: user.id },
      details: {
        email: user.email,
        before: { is_active: user.disabled_at === null },
        after: { is_active: true, password: 'changed' },
      },
    })
  })
}
