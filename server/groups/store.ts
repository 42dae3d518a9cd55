import type { Db, NewRow, Row, Tx } from '../db/schema.ts'

/** Gives nothing back when the name, or the built-in group, is there already. */
export const insertGroup = (tx: Tx, row: NewRow<'groups'>): Promise<Row<'groups'> | undefined> =>
  tx
    .insertInto('groups')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const insertGrants = (tx: Tx, rows: readonly NewRow<'grants'>[]) =>
  rows.length === 0 ? undefined : tx.insertInto('grants').values(rows).execute()

export const insertMember = (tx: Tx, row: NewRow<'group_members'>) =>
  tx
    .insertInto('group_members')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const findGroup = (db: Db, id: string) =>
  db.selectFrom('groups').selectAll().where('id', '=', id).executeTakeFirst()

export const findAdministrators = (db: Db) =>
  db.selectFrom('groups').selectAll().where('builtin', '=', 'administrators').executeTakeFirst()

export const findGrants = (db: Db, groupIds: readonly string[]): Promise<Row<'grants'>[]> =>
  db.selectFrom('grants').selectAll().where('group_id', 'in', groupIds).orderBy('id').execute()

export const countMembers = (db: Db, groupIds: readonly string[]) =>
  db
    .selectFrom('group_members')
    .select((e) => ['group_id', e.fn.countAll<number>().as('count')])
    .where('group_id', 'in', groupIds)
    .groupBy('group_id')
    .execute()

export const findMemberIds = (db: Db, groupId: string) =>
  db.selectFrom('group_members').select('user_id').where('group_id', '=', groupId).orderBy('user_id').execute()

export const findExistingUsers = (db: Db, ids: readonly string[]) =>
  db.selectFrom('users').select('id').where('id', 'in', ids).execute()

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
