import { ServiceError } from '../../../contract/errors.ts'
import { covers, type GrantingGroup, isAdmin } from '../../../contract/permissions.ts'
import { folded } from '../../base/folded.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Row, Tx } from '../../db/schema.ts'
import { grantingGroupsOf } from '../groups/service.ts'
import { findGroupsOfUsers } from '../groups/store.ts'
import { deletePoliciesOf } from '../identity-policies/inline.ts'
import { hasPolicies } from '../identity-policies/store.ts'
import type { SignInChanger } from '../mail/languages/en.ts'
import { revokeSessionsOf } from '../sessions/service.ts'
import { assertAdminRemains, lockAdministration } from '../settings/administration.ts'
import { settingsInForce } from '../settings/effective.ts'
import { newPasswordFor, tellOfSignIn } from './sign-in-notices.ts'
import * as store from './store.ts'

/** The key by which two addresses count as the same account. */
export const emailKey = folded
/** The columns of an address and a name, with those derived from them. */
export const named = (email: string, display_name: string) => ({
  email: email.trim(),
  email_key: folded(email),
  display_name: display_name.trim(),
  search_key: `${folded(email)} ${folded(display_name)}`,
})

/** The refusal of an address that is another account's. */
export const addressTaken = (email: string) =>
  new ServiceError('already_exists', `A user with the address "${email}" already exists.`)

export const userMissing = () => new ServiceError('not_found', 'No such user.')

export interface NewUser {
  id: string
  email: string
  display_name: string
  password_hash?: string | null
  must_change_password?: number
  password_generated?: number | null
  idp_issuer?: string | null
  idp_subject?: string | null
  disabled_at?: string | null
  service_account?: number
  path?: string
}

/** Step: inserts a user; undefined if the address or the identity is in use. Records nothing. */
export const insertUser = (tx: Tx, user: NewUser, now: Date): Promise<Row<'users'> | undefined> =>
  store.insertUser(tx, {
    password_hash: null,
    must_change_password: 0,
    password_generated: null,
    idp_issuer: null,
    idp_subject: null,
    disabled_at: null,
    ...user,
    ...named(user.email, user.display_name),
    token_version: 1,
    created_at: now.toISOString(),
    last_login_at: null,
  })

/**
 * Step: throws forbidden for the login of a user with permissions that the caller lacks. What policies allow is not
 * compared: users who have any, of their own or of a group, are for administrators.
 */
export async function assertMayChangeLogin(
  { actor, tx }: Step,
  { id }: Row<'users'>,
  theirs: readonly GrantingGroup[],
): Promise<void> {
  if (id === actor.user_id || isAdmin(actor.groups)) return
  if (!covers(actor.groups, theirs) || (await isSubjectToPolicies(tx, id, theirs)))
    throw new ServiceError(
      'forbidden',
      'You cannot change how this user logs in, because they have permissions that you lack.',
    )
}

/** Whether a user, or one of their groups, has policies. */
async function isSubjectToPolicies(tx: Tx, id: string, groups: readonly GrantingGroup[]): Promise<boolean> {
  if (await hasPolicies(tx, { kind: 'user', id })) return true
  for (const group of groups) if (await hasPolicies(tx, { kind: 'group', id: group.id })) return true
  return false
}

/** Step: throws forbidden unless the caller may change how a user logs in. */
export async function assertMayTakeOver(step: Step, row: Row<'users'>): Promise<void> {
  const theirs = await grantingGroupsOf(step.tx, row.id)
  assertMayTouch(step, theirs)
  await assertMayChangeLogin(step, row, theirs)
}

/** Throws conflict for a user whom only programs are. */
export function assertPerson({ service_account }: Pick<Row<'users'>, 'service_account'>): void {
  if (service_account === 1)
    throw new ServiceError('conflict', 'A service account cannot sign in: programs act as it, with access keys.')
}

export function assertMayTouch({ actor }: Pick<Ctx, 'actor'>, theirs: Parameters<typeof isAdmin>[0]): void {
  if (isAdmin(theirs) && !isAdmin(actor.groups))
    throw new ServiceError('forbidden', 'You need the "admin" permission to change an administrator.')
}

/** Deletes a user with their sessions, tokens and memberships; their objects stay. */
export async function deleteUser(ctx: Ctx, id: string): Promise<undefined> {
  await ctx.act(async (step) => {
    const { tx } = step
    await lockAdministration(tx)
    const row = await store.lockUser(tx, id)
    if (!row) throw userMissing()
    await removeUser(step, row)
  })
}

/** Step: deletes a user who is locked; call it with the administration lock. */
export async function removeUser(step: Step, { id, email, display_name }: Row<'users'>): Promise<void> {
  const { tx, record } = step
  assertMayTouch(step, await grantingGroupsOf(tx, id))
  const groups = await findGroupsOfUsers(tx, [id])
  await deletePoliciesOf(tx, { kind: 'user', id })
  await store.deleteUser(tx, id)
  await assertAdminRemains(tx, await settingsInForce(step))
  const group_ids = groups.map((group) => group.id)
  record({ name: 'user_delete', resource: { type: 'user', id }, details: { email, display_name, group_ids } })
}

/** Ends all sessions of a user; their tokens stay. */
export async function endUserSessions(ctx: Ctx, id: string): Promise<undefined> {
  await ctx.act(async ({ tx, record }) => {
    const row = await store.lockUser(tx, id)
    if (!row) throw userMissing()
    assertMayTouch(ctx, await grantingGroupsOf(tx, id))
    const sessions = await revokeSessionsOf(tx, id, ctx.now())
    await store.updateUser(tx, id, { token_version: row.token_version + 1 })
    record({ name: 'logout', resource: { type: 'user', id }, details: { sessions } })
  })
}

/** Step of a login: a user, locked until the change is committed. */
export const lockForLogin = store.lockUser

/** Step of a login: records its time. */
export const recordLogin = (tx: Tx, id: string, now: Date) =>
  store.updateUser(tx, id, { last_login_at: now.toISOString() })

/** Step of a login: stores a hash of the current cost, unless the password was changed meanwhile. */
export const renewPasswordHash = store.renewHash

/**
 * Step: adopts the identity provider's current data about a user, but not an address that another account uses. Call it
 * with the administration lock if the address differs.
 */
export async function adoptProfile(step: Step, row: Row<'users'>, email: string | null, name: string | null) {
  const { tx } = step
  const other = email === null ? undefined : await store.findByEmailKey(tx, emailKey(email))
  const free = email !== null && (!other || other.id === row.id)
  const profile = named(free ? email : row.email, name ?? row.display_name)
  // Another login may have adopted the address since the row was read.
  const before = profile.email_key === row.email_key ? row : ((await store.lockUser(tx, row.id)) ?? row)
  await store.updateUser(tx, row.id, profile)
  await tellOfSignIn(step, before, { ...before, ...profile }, { changes: [], by: 'identity_provider' })
}

/**
 * Step: sets a new password if `current` is still the old one's hash, null for none, ends every session and tells the user
 * by mail. Returns false if it was changed meanwhile.
 */
export async function replacePassword(
  step: Step,
  id: string,
  { current, next, by }: { current: string | null; next: string; by: SignInChanger },
): Promise<boolean> {
  const { tx, now } = step
  const row = await store.lockUser(tx, id)
  if (row?.password_hash !== current) return false
  await revokeSessionsOf(tx, id, now())
  const changes = { password_hash: next, must_change_password: 0, token_version: row.token_version + 1 }
  await store.updateUser(tx, id, changes)
  await tellOfSignIn(step, row, { ...row, ...changes }, { changes: [{ change: newPasswordFor(row) }], by })
  return true
}
