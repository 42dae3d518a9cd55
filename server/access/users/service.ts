import { ServiceError } from '../../../contract/errors.ts'
import { covers, type GrantingGroup, isAdmin } from '../../../contract/permissions.ts'
import type { User } from '../../../contract/users.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Db, Row, Tx } from '../../db/schema.ts'
import { assertSettable, hashPassword } from '../../secrets/passwords.ts'
import { setGroups } from '../groups/members.ts'
import { grantingGroupsOf } from '../groups/service.ts'
import { findGroup, findGroupsOfUsers } from '../groups/store.ts'
import { revokeSessionsOf } from '../sessions/service.ts'
import { assertAdminRemains, lockAdministration } from '../settings/administration.ts'
import { type EffectiveSettings, settingsInForce } from '../settings/effective.ts'
import { assertMayLink, identityOf } from './identity.ts'
import * as store from './store.ts'

const folded = (text: string): string => text.trim().normalize('NFKC').toLowerCase()
/** The key by which two addresses count as the same account. */
export const emailKey = folded
/** The columns of an address and a name, with those derived from them. */
const named = (email: string, display_name: string) => ({
  email: email.trim(),
  email_key: folded(email),
  display_name: display_name.trim(),
  search_key: `${folded(email)} ${folded(display_name)}`,
})

/** The refusal of an address that is another account's. */
export const addressTaken = (email: string) =>
  new ServiceError('already_exists', `A user with the address "${email}" already exists.`)
const userMissing = () => new ServiceError('not_found', 'No such user.')

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
 * nobody could administer the service any more, forbidden beyond the caller's own permissions.
 */
export async function updateUser(ctx: Ctx, id: string, change: UpdateUser): Promise<User> {
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
    record({
      name: 'user_update',
      resource: { type: 'user', id },
      details: {
        email: row.email,
        before: { ...visible(row, change), ...(oldGroups ? { group_ids: oldGroups } : {}) },
        after: { ...visible(after, change), ...(group_ids ? { group_ids } : {}), ...passwordChange(change) },
      },
    })
    return describeUser(tx, after)
  })
}

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
  if (change.idp_subject !== undefined) assertMayLink(step)
  if (change.password && row.id === step.actor.user_id && row.password_hash !== null)
    throw new ServiceError(
      'conflict',
      'Use POST /auth/password, which requires your current password, to change your own password.',
    )
  if (change.password !== undefined || change.email !== undefined) assertMayChangeLogin(step, row, theirs)
}

function assertMayChangeLogin({ actor }: Step, { id }: Row<'users'>, theirs: readonly GrantingGroup[]): void {
  if (id !== actor.user_id && !covers(actor.groups, theirs))
    throw new ServiceError(
      'forbidden',
      'You cannot change how this user logs in, because they have permissions that you lack.',
    )
}

/** Step: throws forbidden unless the caller may change how a user logs in. */
export async function assertMayTakeOver(step: Step, row: Row<'users'>): Promise<void> {
  const theirs = await grantingGroupsOf(step.tx, row.id)
  assertMayTouch(step, theirs)
  assertMayChangeLogin(step, row, theirs)
}

function assertMayTouch({ actor }: Pick<Ctx, 'actor'>, theirs: Parameters<typeof isAdmin>[0]): void {
  if (isAdmin(theirs) && !isAdmin(actor.groups))
    throw new ServiceError('forbidden', 'You need the "admin" permission to change an administrator.')
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

/** Deletes a user with their sessions, tokens and memberships; their objects stay. */
export async function deleteUser(ctx: Ctx, id: string): Promise<undefined> {
  await ctx.act(async (step) => {
    const { tx, record } = step
    await lockAdministration(tx)
    const row = await store.lockUser(tx, id)
    if (!row) throw userMissing()
    assertMayTouch(ctx, await grantingGroupsOf(tx, id))
    const groups = await findGroupsOfUsers(tx, [id])
    await store.deleteUser(tx, id)
    await assertAdminRemains(tx, await settingsInForce(step))
    const { email, display_name } = row
    const group_ids = groups.map((group) => group.id)
    record({ name: 'user_delete', resource: { type: 'user', id }, details: { email, display_name, group_ids } })
  })
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

/** What other tables have about users. */
const findAround = async (db: Db, ids: readonly string[]) => ({
  groups: await findGroupsOfUsers(db, ids),
  secured: await store.findSecured(db, ids),
  invited: await store.findInvited(db, ids),
})

const toUser = (row: Row<'users'>, { groups, secured, invited }: Awaited<ReturnType<typeof findAround>>): User => {
  const own = groups.filter((group) => group.user_id === row.id)
  return {
    id: row.id,
    email: row.email,
    display_name: row.display_name,
    is_active: row.disabled_at === null,
    is_admin: own.some((group) => (JSON.parse(group.global) as string[]).includes('admin')),
    has_password: row.password_hash !== null,
    has_second_factor: secured.has(row.id),
    must_change_password: row.must_change_password === 1,
    invitation_expires_at: invited.get(row.id) ?? null,
    idp_subject: row.idp_subject,
    groups: own.map(({ id, name }) => ({ id, name })),
    created_at: row.created_at,
    last_login_at: row.last_login_at,
  }
}
/** A user as the API returns them. */
export const describeUser = async (db: Db, row: Row<'users'>): Promise<User> =>
  toUser(row, await findAround(db, [row.id]))

/** Gets a user; throws not_found. */
export async function getUser(db: Db, id: string): Promise<User> {
  const row = await store.findUser(db, id)
  if (!row) throw userMissing()
  return describeUser(db, row)
}

/** Users that match the filter, sorted by address. */
export async function listUsers(db: Db, filter: store.UserFilter, limit: number, cursor: string | undefined) {
  const [after = ''] = decodeCursor(cursor, 1) ?? []
  const q = filter.q === undefined ? undefined : folded(filter.q)
  const rows = await store.listUsers(db, { ...filter, q }, after, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ email_key }) => [email_key])
  const ids = page.map(({ id }) => id)
  const around = await findAround(db, ids)
  return { items: page.map((row) => toUser(row, around)), next_cursor }
}

/** The members of a group; throws not_found. */
export async function listMembers(db: Db, groupId: string, limit: number, cursor: string | undefined) {
  if (!(await findGroup(db, groupId))) throw new ServiceError('not_found', 'No such group.')
  return listUsers(db, { groupId }, limit, cursor)
}

/** Step of a login: records its time. */
export const recordLogin = (tx: Tx, id: string, now: Date) =>
  store.updateUser(tx, id, { last_login_at: now.toISOString() })

/** Step of a login: stores a hash of the current cost, unless the password was changed meanwhile. */
export const renewPasswordHash = store.renewHash

/**
 * Step: adopts the identity provider's current data about a user, but not an address that another account uses. Call it
 * with the administration lock if the address differs.
 */
export async function adoptProfile(tx: Tx, row: Row<'users'>, email: string | null, name: string | null) {
  const other = email === null ? undefined : await store.findByEmailKey(tx, emailKey(email))
  const free = email !== null && (!other || other.id === row.id)
  await store.updateUser(tx, row.id, named(free ? email : row.email, name ?? row.display_name))
}

/**
 * Step: sets a new password if `current` is still the old one's hash, null for none, and ends every session. Returns false
 * if it was changed meanwhile.
 */
export async function replacePassword(
  { tx, now }: Pick<Step, 'tx' | 'now'>,
  id: string,
  current: string | null,
  next: string,
): Promise<boolean> {
  const row = await store.lockUser(tx, id)
  if (row?.password_hash !== current) return false
  await revokeSessionsOf(tx, id, now())
  await store.updateUser(tx, id, {
    password_hash: next,
    must_change_password: 0,
    token_version: row.token_version + 1,
  })
  return true
}
