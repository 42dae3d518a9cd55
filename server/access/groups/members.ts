import { type Fault, ServiceError } from '../../../contract/errors.ts'
import type { Group } from '../../../contract/groups.ts'
import { covers, type GrantingGroup, isAdmin } from '../../../contract/permissions.ts'
import { invalid, invalidAll } from '../../base/invalid.ts'
import type { Actor, Ctx, Step } from '../../context.ts'
import type { Row, Tx } from '../../db/schema.ts'
import { hasPolicies } from '../identity-policies/store.ts'
import { assertAdminRemains, lockAdministration } from '../settings/administration.ts'
import { settingsInForce } from '../settings/effective.ts'
import { describeGroup, grantingGroups } from './describe.ts'
import * as store from './store.ts'

export const groupMissing = (): ServiceError => new ServiceError('not_found', 'No such group.')

/** Throws unless the actor is an administrator; `what` completes "You need the admin permission to …". */
export function assertAdmin(actor: Actor, what: string): void {
  if (!isAdmin(actor.groups)) throw new ServiceError('forbidden', `You need the "admin" permission to ${what}.`)
}

/** The fault of naming a group that stands for everyone where members are to join. */
export const NO_MEMBERS = 'stands for everyone, and has no members'

/**
 * Throws unless the actor may add members to these groups: nobody can grant a permission they lack. What policies allow
 * is not compared: groups that have any are for administrators.
 */
async function assertMayJoin(tx: Tx, actor: Actor, groups: readonly GrantingGroup[]): Promise<void> {
  if (isAdmin(actor.groups)) return
  for (const group of groups)
    if (!covers(actor.groups, [group]) || (await hasPolicies(tx, { kind: 'group', id: group.id })))
      throw new ServiceError(
        'forbidden',
        `You cannot add members to the group "${group.name}", because it has permissions that you lack.`,
      )
}

/** Throws unless the actor may remove members from these groups; administrators' groups need an administrator. */
export function assertMayLeave(actor: Actor, groups: readonly GrantingGroup[]): void {
  if (groups.some((group) => isAdmin([group]))) assertAdmin(actor, 'change a group of administrators')
}

/**
 * Adds users to a group; existing members are ignored. 422 on unknown users. `confirm` throws what the caller may no longer do, in
 * the transaction.
 */
export const addMembers = (
  ctx: Ctx,
  groupId: string,
  userIds: readonly string[],
  confirm?: (step: Step) => Promise<unknown>,
): Promise<Group> => changeMembers(ctx, groupId, async () => ({ add: userIds, remove: [] }), confirm)

/** Removes users from a group; users who are not members are ignored. */
export const removeMembers = (ctx: Ctx, groupId: string, userIds: readonly string[]): Promise<Group> =>
  changeMembers(ctx, groupId, async () => ({ add: [], remove: userIds }))

/** Makes exactly these users the members of a group. */
export const replaceMembers = (ctx: Ctx, groupId: string, userIds: readonly string[]): Promise<Group> =>
  changeMembers(ctx, groupId, async (tx) => {
    const members = await store.findMemberIds(tx, groupId)
    const wanted = new Set(userIds)
    const present = new Set(members)
    return { add: userIds.filter((id) => !present.has(id)), remove: members.filter((id) => !wanted.has(id)) }
  })

type Change = { add: readonly string[]; remove: readonly string[] }

const changeMembers = (
  ctx: Ctx,
  groupId: string,
  decide: (tx: Tx) => Promise<Change>,
  confirm?: (step: Step) => Promise<unknown>,
): Promise<Group> =>
  ctx.act(async (step) => {
    const { tx } = step
    await lockAdministration(tx)
    await confirm?.(step)
    const row = await store.findGroup(tx, groupId)
    if (!row) throw groupMissing()
    const { add, remove } = await decide(tx)
    if (add.length > 0 && row.builtin === 'public') throw invalid('params.id', NO_MEMBERS)
    const granting = await grantingGroups(tx, [row])
    if (add.length > 0) await assertMayJoin(tx, ctx.actor, granting)
    if (remove.length > 0) assertMayLeave(ctx.actor, granting)
    await assertUsersExist(tx, add)
    await applyMembers(step, row, { add, remove })
    if (remove.length > 0 && isAdmin(granting)) await assertAdminRemains(tx, await settingsInForce(step))
    return describeGroup(tx, row)
  })

/** Step: adds and removes members and records what changed. */
export async function applyMembers(step: Step, row: Row<'groups'>, change: Change) {
  const { tx, record } = step
  const count = (await store.findMemberIds(tx, row.id)).length
  const at = step.now().toISOString()
  const added = await store.insertMembers(
    tx,
    change.add.map((user_id) => ({ group_id: row.id, user_id, added_at: at })),
  )
  const removed = await store.deleteMembers(tx, row.id, change.remove)
  record({
    name: 'group_update',
    resource: { type: 'group', id: row.id },
    details: {
      name: row.name,
      before: { member_count: count },
      after: { member_count: count + added.length - removed.length, added, removed },
    },
  })
}

async function assertUsersExist(tx: Tx, userIds: readonly string[]): Promise<void> {
  const existing = new Set((await store.findExistingUsers(tx, userIds)).map(({ id }) => id))
  const faults = userIds.flatMap((id, i): Fault[] =>
    existing.has(id) ? [] : [{ path: `body.user_ids.${i}`, message: 'does not exist' }],
  )
  if (faults.length > 0) throw new ServiceError('invalid_request', 'Some users do not exist.', { faults })
}

interface Membership {
  userId: string
  groupIds: readonly string[]
  /** When new memberships start (ISO 8601). */
  at: string
}

/** Step: adds a new user to groups; 422 at `body.group_ids.<i>` on an unknown group. */
export async function joinGroups(tx: Tx, actor: Actor, { userId, groupIds, at }: Membership) {
  const groups = await requireGroups(tx, groupIds)
  if (actor.type === 'user' || actor.type === 'role') await assertMayJoin(tx, actor, groups)
  await store.insertMembers(
    tx,
    groupIds.map((group_id) => ({ group_id, user_id: userId, added_at: at })),
  )
}

/** Step: makes exactly these the user's groups; returns the ids of the previous ones. */
export async function setGroups(tx: Tx, actor: Actor, { userId, groupIds, at }: Membership) {
  const before = await store.findGroupsOfUsers(tx, [userId])
  const groups = await requireGroups(tx, groupIds)
  const old = new Set(before.map(({ id }) => id))
  const kept = new Set(groupIds)
  const left = before.filter(({ id }) => !kept.has(id))
  await assertMayJoin(
    tx,
    actor,
    groups.filter(({ id }) => !old.has(id)),
  )
  assertMayLeave(actor, await grantingGroups(tx, left))
  for (const { id } of left) await store.deleteMembers(tx, id, [userId])
  await store.insertMembers(
    tx,
    groupIds.filter((id) => !old.has(id)).map((group_id) => ({ group_id, user_id: userId, added_at: at })),
  )
  return [...old]
}

async function requireGroups(tx: Tx, groupIds: readonly string[]): Promise<GrantingGroup[]> {
  const rows = await store.findGroupsByIds(tx, groupIds)
  const known = new Map(rows.map((row) => [row.id, row]))
  const faults = groupIds.flatMap((id, i): Fault[] => {
    const row = known.get(id)
    if (row && row.builtin !== 'public') return []
    return [{ path: `body.group_ids.${i}`, message: row ? NO_MEMBERS : 'does not exist' }]
  })
  if (faults.length > 0) throw invalidAll(faults)
  return grantingGroups(tx, rows)
}
