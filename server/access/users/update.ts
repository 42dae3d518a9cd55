// Changing a user, and who may change what of whom.
import { ServiceError } from '../../../contract/errors.ts'
import type { User } from '../../../contract/users.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { assertSettable, hashPassword } from '../../secrets/passwords.ts'
import { setGroups } from '../groups/members.ts'
import { grantingGroupsOf } from '../groups/service.ts'
import type { SignInChanger } from '../mail/languages/en.ts'
import { revokeSessionsOf } from '../sessions/service.ts'
import { assertAdminRemains, lockAdministration } from '../settings/administration.ts'
import { type EffectiveSettings, settingsInForce } from '../settings/effective.ts'
import { describeUser } from './describe.ts'
import { assertMayLink, identityOf } from './identity.ts'
import {
  addressTaken,
  assertMayChangeLogin,
  assertMayTouch,
  assertPerson,
  emailKey,
  named,
  userMissing,
} from './service.ts'
import { type Changed, newPasswordFor, tellOfSignIn } from './sign-in-notices.ts'
import * as store from './store.ts'

export interface UpdateUser {
  email?: string | undefined
  display_name?: string | undefined
  is_active?: boolean | undefined
  /** Null: removes the password login. */
  password?: string | null | undefined
  /** With a password: they have to choose another one when they first log in with it. */
  must_change_password?: boolean | undefined
  group_ids?: readonly string[] | undefined
  /** Null: removes the login through the identity provider. */
  idp_subject?: string | null | undefined
}

/**
 * Changes a user. Disabling them, or changing their password or identity, ends their sessions. Throws last_admin if
 * nobody could administer the service any more, forbidden beyond the caller's own permissions. `also` is part of the same change.
 */
export async function updateUser(
  ctx: Ctx,
  id: string,
  change: UpdateUser,
  also?: (step: Step) => Promise<unknown>,
): Promise<User> {
  const { password, group_ids, must_change_password } = change
  if (password) assertSettable(password, 'body.password')
  if (must_change_password !== undefined && !password) throw invalid('body.must_change_password', 'needs a password')
  const hash = password ? await hashPassword(password, ctx.config.bcryptCost) : null
  return ctx.act(async (step) => {
    const { tx, record } = step
    await lockAdministration(tx)
    const row = await store.lockUser(tx, id)
    if (!row) throw userMissing()
    await assertMayChange(step, row, change)
    const settings = await settingsInForce(step)
    const fields = await changedFields(step, row, { ...change, hash }, settings)
    const signsOut = change.is_active === false || password !== undefined || 'idp_issuer' in fields
    if (signsOut) await revokeSessionsOf(tx, id, ctx.now())
    const changes = { ...fields, ...(signsOut ? { token_version: row.token_version + 1 } : {}) }
    await store.updateUser(tx, id, changes)
    const after = { ...row, ...changes }
    const at = ctx.now().toISOString()
    const oldGroups = group_ids ? await setGroups(tx, ctx.actor, { userId: id, groupIds: group_ids, at }) : undefined
    await assertAdminRemains(tx, settings)
    await tellOfSignIn(step, row, after, { changes: changesOf(row, after), by: changerOf(step, id) })
    record({
      name: 'user_update',
      resource: { type: 'user', id },
      details: {
        email: row.email,
        before: { ...visible(row, change), ...(oldGroups ? { group_ids: oldGroups } : {}) },
        after: { ...visible(after, change), ...(group_ids ? { group_ids } : {}), ...passwordChange(change) },
      },
    })
    await also?.(step)
    return describeUser(tx, after)
  })
}

/** What a change makes of how a user signs in, apart from their address. */
function changesOf(before: Row<'users'>, after: Row<'users'>): Changed[] {
  const changes: Changed[] = []
  if (before.password_hash !== after.password_hash)
    changes.push({ change: after.password_hash === null ? 'password_removed' : newPasswordFor(before) })
  if (before.idp_issuer !== after.idp_issuer || before.idp_subject !== after.idp_subject)
    changes.push({ change: after.idp_subject === null ? 'identity_unlinked' : 'identity_linked' })
  return changes
}

const changerOf = ({ actor }: Step, id: string): SignInChanger => (actor.user_id === id ? 'self' : 'administrator')

/** A user's fields in the audit log, before and after: only those being changed, never the password. */
const visible = (row: Row<'users'>, change: UpdateUser) => ({
  ...(change.email === undefined ? {} : { email: row.email }),
  ...(change.display_name === undefined ? {} : { display_name: row.display_name }),
  ...(change.is_active === undefined ? {} : { is_active: row.disabled_at === null }),
  ...(change.idp_subject === undefined ? {} : { idp_subject: row.idp_subject }),
})

const passwordChange = ({ password, must_change_password }: UpdateUser) => ({
  ...(password === undefined ? {} : { password: password === null ? 'removed' : 'changed' }),
  ...(must_change_password ? { must_change_password } : {}),
})

/**
 * Taking over a login takes over its permissions, so the caller needs all of them; administrators need an
 * administrator.
 */
async function assertMayChange(step: Step, row: Row<'users'>, change: UpdateUser): Promise<void> {
  const { tx } = step
  const theirs = await grantingGroupsOf(tx, row.id)
  assertMayTouch(step, theirs)
  if (change.password || change.idp_subject) assertPerson(row)
  if (change.idp_subject !== undefined) assertMayLink(step)
  if (change.password && row.id === step.actor.user_id && row.password_hash !== null)
    throw new ServiceError(
      'conflict',
      'Use POST /auth/password, which requires your current password, to change your own password.',
    )
  if (change.password !== undefined || change.email !== undefined) await assertMayChangeLogin(step, row, theirs)
}

async function changedFields(
  step: Step,
  row: Row<'users'>,
  { email, display_name, is_active, password, idp_subject, ...more }: UpdateUser & { hash: string | null },
  settings: EffectiveSettings,
) {
  const { tx } = step
  if (email !== undefined) {
    const other = await store.findByEmailKey(tx, emailKey(email))
    if (other && other.id !== row.id) throw addressTaken(email)
  }
  const identity = idp_subject === undefined ? {} : await identityOf(step, idp_subject, settings, row.id)
  const disabled =
    is_active === undefined ? row.disabled_at : is_active ? null : (row.disabled_at ?? step.now().toISOString())
  return {
    disabled_at: disabled,
    ...named(email ?? row.email, display_name ?? row.display_name),
    ...(password === undefined
      ? {}
      : { password_hash: more.hash, must_change_password: Number(more.must_change_password ?? false) }),
    ...identity,
  }
}
