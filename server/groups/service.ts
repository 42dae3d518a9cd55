import { ServiceError } from '../../contract/errors.ts'
import type { Group } from '../../contract/groups.ts'
import type { BucketAction, GlobalRight } from '../../contract/permissions.ts'
import type { Ctx, Record } from '../context.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import type { Db, Row, Tx } from '../db/schema.ts'
import { newId } from '../id.ts'
import * as store from './store.ts'

const nameKey = (name: string): string => name.trim().normalize('NFKC').toLowerCase()

export interface CreateGroup {
  name: string
  description?: string | undefined
  global?: readonly GlobalRight[] | undefined
  grants?:
    | readonly { bucket_pattern: string; prefix?: string | undefined; actions: readonly BucketAction[] }[]
    | undefined
}

/** Creates a group with its grants; `already_exists` when the name is taken, whatever its case. */
export const createGroup = (ctx: Ctx, input: CreateGroup): Promise<Group> =>
  ctx.act(async (tx, record) => {
    const row = await store.insertGroup(tx, {
      id: newId(),
      name: input.name.trim(),
      name_key: nameKey(input.name),
      description: input.description ?? '',
      builtin: null,
      global: JSON.stringify(input.global ?? []),
      created_at: ctx.now().toISOString(),
    })
    if (!row) throw new ServiceError('already_exists', `A group named "${input.name}" already exists.`)
    await store.insertGrants(
      tx,
      (input.grants ?? []).map(({ bucket_pattern, prefix = '', actions }) => ({
        id: newId(),
        group_id: row.id,
        bucket_pattern,
        prefix,
        actions: JSON.stringify(actions),
      })),
    )
    const group = await describeGroup(tx, row)
    const { name, global, grants } = group
    record({ name: 'group_create', resource: { type: 'group', id: row.id }, details: { name, global, grants } })
    return group
  })

/** Adds users to a group; those who are members already stay so. 422 on unknown users. */
export const addMembers = (ctx: Ctx, groupId: string, userIds: readonly string[]): Promise<Group> =>
  ctx.act(async (tx, record) => {
    const row = await store.findGroup(tx, groupId)
    if (!row) throw new ServiceError('not_found', 'There is no such group.')
    const existing = new Set((await store.findExistingUsers(tx, userIds)).map(({ id }) => id))
    const faults = userIds.flatMap((id, i) =>
      existing.has(id) ? [] : [{ path: `body.user_ids.${i}`, message: 'names no user' }],
    )
    if (faults.length > 0) throw new ServiceError('invalid_request', 'Some users do not exist.', { faults })
    const before = (await store.findMemberIds(tx, groupId)).map(({ user_id }) => user_id)
    for (const id of userIds) await addMember(tx, groupId, id, ctx.now())
    const added = userIds.filter((id) => !before.includes(id))
    record({
      name: 'group_update',
      resource: { type: 'group', id: groupId },
      details: {
        before: { member_count: before.length },
        after: { member_count: before.length + added.length, added },
      },
    })
    return describeGroup(tx, row)
  })

/** Step: puts a user into a group; false when there is no such group. */
export async function addMember(tx: Tx, groupId: string, userId: string, now: Date): Promise<boolean> {
  if (!(await store.findGroup(tx, groupId))) return false
  await store.insertMember(tx, { group_id: groupId, user_id: userId, added_at: now.toISOString() })
  return true
}

/** Step: the built-in group of administrators, made when it is missing (R5). */
export async function ensureAdministrators(tx: Tx, now: Date, record: Record): Promise<Row<'groups'>> {
  const made = await store.insertGroup(tx, {
    id: newId(),
    name: 'Administrators',
    name_key: nameKey('Administrators'),
    description: 'May do everything.',
    builtin: 'administrators',
    global: JSON.stringify(['admin']),
    created_at: now.toISOString(),
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

const describeGroup = async (db: Db, row: Row<'groups'>): Promise<Group> => {
  const [group] = await describeGroups(db, [row])
  return group as Group
}

async function describeGroups(db: Db, rows: readonly Row<'groups'>[]): Promise<Group[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const grants = await store.findGrants(db, ids)
  const counts = new Map((await store.countMembers(db, ids)).map(({ group_id, count }) => [group_id, count]))
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    builtin: row.builtin !== null,
    global: JSON.parse(row.global) as GlobalRight[],
    grants: grants
      .filter((grant) => grant.group_id === row.id)
      .map(({ id, bucket_pattern, prefix, actions }) => ({
        id,
        bucket_pattern,
        prefix,
        actions: JSON.parse(actions) as BucketAction[],
      })),
    member_count: counts.get(row.id) ?? 0,
  }))
}

/** Groups in the order of their names. */
export async function listGroups(db: Db, limit: number, cursor: string | undefined) {
  const [after] = decodeCursor(cursor, 1) ?? ['']
  const rows = await store.listGroups(db, after ?? '', limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    items: await describeGroups(db, page),
    next_cursor: rows.length > limit && last ? encodeCursor([last.name_key]) : null,
  }
}
