import { type Fault, ServiceError } from '../../../contract/errors.ts'
import type { Group, NewGrant } from '../../../contract/groups.ts'
import {
  type BucketAction,
  type GlobalRight,
  type GrantingGroup,
  isAdmin,
  presets,
} from '../../../contract/permissions.ts'
import { publicActions } from '../../../contract/public-access.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { differenceOf } from '../../base/difference.ts'
import { newId } from '../../base/id.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'
import { deletePoliciesOf } from '../identity-policies/inline.ts'
import { assertAdminRemains, lockAdministration, unmapGroup } from '../settings/administration.ts'
import { settingsInForce } from '../settings/effective.ts'
import { describeGroup, describeGroups, grantingGroups } from './describe.ts'
import { assertAdmin, assertMayLeave, groupMissing } from './members.ts'
import * as store from './store.ts'

/** The key by which two names count as the same group. */
export const nameKey = (name: string): string => name.trim().normalize('NFKC').toLowerCase()

export interface CreateGroup {
  name: string
  description?: string | undefined
  global?: readonly GlobalRight[] | undefined
  grants?: readonly NewGrant[] | undefined
}

/** Creates a group. Only administrators may give it grants; throws already_exists if the name is taken. `also` is part of the same change. */
export function createGroup(
  ctx: Ctx,
  input: CreateGroup,
  also?: (step: Step, group: Group) => Promise<unknown>,
): Promise<Group> {
  if (input.global?.length || input.grants?.length) assertAdmin(ctx.actor, 'grant permissions to a group')
  return ctx.act(async (step) => {
    const { tx, record } = step
    const row = await store.insertGroup(tx, {
      id: newId(),
      name: input.name.trim(),
      name_key: nameKey(input.name),
      description: input.description ?? '',
      builtin: null,
      global: JSON.stringify(input.global ?? []),
      created_at: ctx.now().toISOString(),
    })
    if (!row) throw nameTaken(input.name)
    await store.insertGrants(tx, grantRows(row.id, input.grants ?? [], []))
    const group = await describeGroup(tx, row)
    const { name, global, grants } = group
    record({ name: 'group_create', resource: { type: 'group', id: row.id }, details: { name, global, grants } })
    await also?.(step, group)
    return group
  })
}

/** Throws unless everyone may be given this. */
export function assertCanBePublic({ global = [], grants = [] }: Partial<CreateGroup>): void {
  if (global.length > 0)
    throw new ServiceError('conflict', 'Everyone cannot be given permissions that apply everywhere.')
  const faults = grants.flatMap((grant, i): Fault[] =>
    actionsOf(grant, i).every((action) => publicActions.some((one) => one === action))
      ? []
      : [{ path: `body.grants.${i}.actions`, message: `must be of ${publicActions.join(', ')}` }],
  )
  if (faults.length > 0) throw new ServiceError('invalid_request', 'Not all of this can be public.', { faults })
}

const nameTaken = (name: string) => new ServiceError('already_exists', `A group named "${name}" already exists.`)

/** Rows for new grants; a grant equal to an old one keeps its id. */
function grantRows(groupId: string, grants: readonly NewGrant[], old: readonly Row<'grants'>[]): NewRow<'grants'>[] {
  const left = [...old]
  return grants.map((grant, i) => {
    const { bucket_pattern, prefix = '' } = grant
    const actions = JSON.stringify(actionsOf(grant, i))
    const same = left.findIndex(
      (one) => one.bucket_pattern === bucket_pattern && one.prefix === prefix && one.actions === actions,
    )
    const [kept] = same < 0 ? [] : left.splice(same, 1)
    return { id: kept?.id ?? newId(), group_id: groupId, bucket_pattern, prefix, actions }
  })
}

/** The actions of a grant, the `i`th of a request. Throws invalid_request unless it names either them or a preset. */
export function actionsOf({ actions, preset }: NewGrant, i: number): readonly BucketAction[] {
  if (actions && !preset) return actions
  if (preset && !actions) return presets[preset]
  const fault: Fault = { path: `body.grants.${i}.actions`, message: 'or preset is required, but not both' }
  throw new ServiceError('invalid_request', 'A grant needs either actions or a preset.', { faults: [fault] })
}

/** Changes a group. Only administrators may change grants and administrators' groups. `also` is part of the same change. */
export const updateGroup = (
  ctx: Ctx,
  id: string,
  change: Partial<CreateGroup>,
  also?: (step: Step) => Promise<unknown>,
): Promise<Group> =>
  ctx.act(async (step) => {
    const { tx, record } = step
    await lockAdministration(tx)
    const row = await store.findGroup(tx, id)
    if (!row) throw groupMissing()
    const before = await describeGroup(tx, row)
    assertMayLeave(ctx.actor, [before])
    if (change.global || change.grants) assertAdmin(ctx.actor, 'change what a group grants')
    if (row.builtin === 'administrators' && change.global && !change.global.includes('admin'))
      throw new ServiceError('conflict', 'The built-in group must keep the "admin" permission.')
    if (row.builtin === 'public') assertCanBePublic(change)
    await assertNameFree(tx, id, change.name)
    const fields = {
      ...(change.name === undefined ? {} : { name: change.name.trim(), name_key: nameKey(change.name) }),
      ...(change.description === undefined ? {} : { description: change.description }),
      ...(change.global === undefined ? {} : { global: JSON.stringify(change.global) }),
    }
    if (Object.keys(fields).length > 0) await store.updateGroup(tx, id, fields)
    if (change.grants) {
      const rows = grantRows(id, change.grants, await store.findGrants(tx, [id]))
      await store.deleteGrants(tx, id)
      await store.insertGrants(tx, rows)
    }
    const after = await describeGroup(tx, { ...row, ...fields })
    if (isAdmin([before]) && !isAdmin([after])) await assertAdmins(step)
    record({ name: 'group_update', resource: { type: 'group', id }, details: differences(before, after) })
    await also?.(step)
    return after
  })

export async function assertNameFree(tx: Tx, id: string, name: string | undefined): Promise<void> {
  if (name === undefined) return
  const other = await store.findGroupByName(tx, nameKey(name))
  if (other && other.id !== id) throw nameTaken(name)
}

export const assertAdmins = async (step: Step) => assertAdminRemains(step.tx, await settingsInForce(step))

/** The fields that differ; of the grants, only those removed and those added. */
function differences(before: Group, after: Group) {
  const changed = (['name', 'description', 'global', 'grants'] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  const { lost, gained } = differenceOf(before.grants, after.grants)
  const pick = (group: Group) => Object.fromEntries(changed.map((field) => [field, group[field]]))
  return { name: before.name, before: pick({ ...before, grants: lost }), after: pick({ ...after, grants: gained }) }
}

/** Deletes a group; throws not_empty if it has members, unless forced, and conflict for the built-in group. */
export async function deleteGroup(ctx: Ctx, id: string, force: boolean): Promise<undefined> {
  await ctx.act(async (step) => {
    await lockAdministration(step.tx)
    const row = await store.findGroup(step.tx, id)
    if (!row) throw groupMissing()
    await removeGroup(step, row, force)
  })
}

/** Step: the same with the administration lock. */
export async function removeGroup(step: Step, row: Row<'groups'>, force: boolean): Promise<void> {
  const { tx, record } = step
  const { id } = row
  const { name, global, grants, member_count } = await describeGroup(tx, row)
  assertMayLeave(step.actor, [{ id, name, global, grants }])
  if (row.builtin !== null) throw new ServiceError('conflict', 'The built-in group cannot be deleted.')
  if (member_count > 0 && !force)
    throw new ServiceError(
      'not_empty',
      `The group "${name}" has ${member_count} members; use "force" to delete it anyway.`,
    )
  const members = await store.findMemberIds(tx, id)
  await unmapGroup(tx, id)
  await deletePoliciesOf(tx, { kind: 'group', id })
  await store.deleteGroup(tx, id)
  if (isAdmin([{ id, name, global, grants }])) await assertAdmins(step)
  record({
    name: 'group_delete',
    resource: { type: 'group', id },
    details: { name, global, grants, member_count, members },
  })
}

/** One group; throws not_found. */
export async function getGroup(db: Db, id: string): Promise<Group> {
  const row = await store.findGroup(db, id)
  if (!row) throw groupMissing()
  return describeGroup(db, row)
}

/** Groups ordered by name. */
export async function listGroups(db: Db, limit: number, cursor: string | undefined) {
  const [after] = decodeCursor(cursor, 1) ?? ['']
  const rows = await store.listGroups(db, after ?? '', limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ name_key }) => [name_key])
  return { items: await describeGroups(db, page), next_cursor }
}

/** Step: the built-in administrators' group, created if missing. */
export async function ensureAdministrators(step: Step): Promise<Row<'groups'>> {
  const { tx, record } = step
  const made = await store.insertGroup(tx, {
    id: newId(),
    name: 'Administrators',
    name_key: nameKey('Administrators'),
    description: 'May do everything.',
    builtin: 'administrators',
    global: JSON.stringify(['admin']),
    created_at: step.now().toISOString(),
  })
  const group = made ?? (await store.findAdministrators(tx))
  if (!group) throw new Error('A group that is not built in is named Administrators')
  if (made)
    record({
      name: 'group_create',
      resource: { type: 'group', id: made.id },
      details: { name: made.name, global: ['admin'], grants: [] },
    })
  return group
}

/** A user's groups with their permissions. */
export const grantingGroupsOf = async (db: Db, userId: string): Promise<GrantingGroup[]> =>
  grantingGroups(db, await store.findGroupsOfUsers(db, [userId]))
