import { sql } from 'kysely'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

/** Returns undefined if the name, or the built-in group, already exists. */
export const insertGroup = (tx: Tx, row: NewRow<'groups'>): Promise<Row<'groups'> | undefined> =>
  tx
    .insertInto('groups')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const updateGroup = (tx: Tx, id: string, change: RowChange<'groups'>) =>
  tx.updateTable('groups').set(change).where('id', '=', id).execute()

export const deleteGroup = (tx: Tx, id: string) => tx.deleteFrom('groups').where('id', '=', id).execute()

export const insertGrants = (tx: Tx, rows: readonly NewRow<'grants'>[]) =>
  rows.length === 0 ? undefined : tx.insertInto('grants').values(rows).execute()

export const deleteGrants = (tx: Tx, groupId: string) =>
  tx.deleteFrom('grants').where('group_id', '=', groupId).execute()

/** Returns the user ids that were not members before. */
export async function insertMembers(tx: Tx, rows: readonly NewRow<'group_members'>[]): Promise<string[]> {
  if (rows.length === 0) return []
  const added = await tx
    .insertInto('group_members')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .execute()
  return added.map(({ user_id }) => user_id)
}

/** Returns the user ids that were members. */
export async function deleteMembers(tx: Tx, groupId: string, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  const removed = await tx
    .deleteFrom('group_members')
    .where('group_id', '=', groupId)
    .where('user_id', 'in', userIds)
    .returning('user_id')
    .execute()
  return removed.map(({ user_id }) => user_id)
}

export const findGroup = (db: Db, id: string) =>
  db.selectFrom('groups').selectAll().where('id', '=', id).executeTakeFirst()

export const findGroupByName = (db: Db, nameKey: string) =>
  db.selectFrom('groups').selectAll().where('name_key', '=', nameKey).executeTakeFirst()

export const findGroupsByIds = async (db: Db, ids: readonly string[]): Promise<Row<'groups'>[]> =>
  ids.length === 0 ? [] : db.selectFrom('groups').selectAll().where('id', 'in', ids).execute()

export const findAdministrators = (db: Db) =>
  db.selectFrom('groups').selectAll().where('builtin', '=', 'administrators').executeTakeFirst()

export const findGrants = async (db: Db, groupIds: readonly string[]): Promise<Row<'grants'>[]> =>
  groupIds.length === 0
    ? []
    : db.selectFrom('grants').selectAll().where('group_id', 'in', groupIds).orderBy('id').execute()

export const countMembers = (db: Db, groupIds: readonly string[]) =>
  db
    .selectFrom('group_members')
    .select((e) => ['group_id', e.fn.countAll<number>().as('count')])
    .where('group_id', 'in', groupIds)
    .groupBy('group_id')
    .execute()

export const findMemberIds = async (db: Db, groupId: string): Promise<string[]> => {
  const rows = await db.selectFrom('group_members').select('user_id').where('group_id', '=', groupId).execute()
  return rows.map(({ user_id }) => user_id)
}

export const findExistingUsers = async (
  db: Db,
  ids: readonly string[],
): Promise<{ id: string; disabled_at: string | null }[]> =>
  ids.length === 0 ? [] : db.selectFrom('users').select(['id', 'disabled_at']).where('id', 'in', ids).execute()

export interface MemberGroup {
  user_id: string
  id: string
  name: string
  global: string
}
export const findGroupsOfUsers = async (db: Db, userIds: readonly string[]): Promise<MemberGroup[]> =>
  userIds.length === 0
    ? []
    : db
        .selectFrom('group_members as m')
        .innerJoin('groups as g', 'g.id', 'm.group_id')
        .select(['m.user_id', 'g.id', 'g.name', 'g.global'])
        .where('m.user_id', 'in', userIds)
        .orderBy('g.name_key')
        .execute()

export const listGroups = (db: Db, after: string, limit: number): Promise<Row<'groups'>[]> =>
  db.selectFrom('groups').selectAll().where('name_key', '>', after).orderBy('name_key').limit(limit).execute()

/** Groups whose path starts with a text, after a name and sorted by it; with `userId`, of those that a user is in. */
export const listBelow = (
  db: Db,
  path: string,
  { after, limit, userId }: { after: string; limit: number; userId?: string },
): Promise<Row<'groups'>[]> => {
  const query = db
    .selectFrom('groups')
    .selectAll()
    .where('name_key', '>', after)
    .where(sql<boolean>`substr(path, 1, length(${path})) = ${path}`)
  const page =
    userId === undefined
      ? query
      : query.where('id', 'in', (e) => e.selectFrom('group_members').select('group_id').where('user_id', '=', userId))
  return page.orderBy('name_key').limit(limit).execute()
}

export const countGroups = async (db: Db): Promise<number> =>
  (
    await db
      .selectFrom('groups')
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

/** A place in a bucket: one key, or (`below`) everything that starts with it. */
export interface Place {
  bucket: string
  key: string
  below: boolean
}
/** Grants that may reach a place; the caller checks each again. */
export const reaching = (db: Db, { bucket, key, below }: Place) =>
  db
    .selectFrom('grants')
    // A pattern holds neither `%` nor `_`.
    .where(sql<boolean>`${bucket} like replace(bucket_pattern, '*', '%')`)
    .where((e) => {
      const covers = sql<boolean>`substr(${key}, 1, length(prefix)) = prefix`
      return below ? e.or([covers, sql<boolean>`substr(prefix, 1, length(${key})) = ${key}`]) : covers
    })

/** Those of these groups. */
export const findReaching = async (db: Db, place: Place, groupIds: readonly string[]): Promise<Row<'grants'>[]> =>
  groupIds.length === 0 ? [] : reaching(db, place).selectAll().where('group_id', 'in', groupIds).orderBy('id').execute()
