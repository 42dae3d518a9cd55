import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

export type RoleRow = Row<'roles'>

/** False if the name is taken. */
export const insertRole = async (tx: Tx, row: NewRow<'roles'>): Promise<boolean> =>
  (
    await tx
      .insertInto('roles')
      .values(row)
      .onConflict((conflict) => conflict.column('name_key').doNothing())
      .returning('id')
      .execute()
  ).length > 0

export const updateRole = (tx: Tx, id: string, change: RowChange<'roles'>) =>
  tx.updateTable('roles').set(change).where('id', '=', id).execute()

export const deleteRole = (tx: Tx, id: string) => tx.deleteFrom('roles').where('id', '=', id).execute()

export const countRoles = async (tx: Tx): Promise<number> =>
  (
    await tx
      .selectFrom('roles')
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

export const findRole = (db: Db, nameKey: string): Promise<RoleRow | undefined> =>
  db.selectFrom('roles').selectAll().where('name_key', '=', nameKey).executeTakeFirst()

export const lockRole = (tx: Tx, nameKey: string): Promise<RoleRow | undefined> =>
  tx.selectFrom('roles').selectAll().where('name_key', '=', nameKey).forUpdate().executeTakeFirst()

/** Roles below a path, after a name, in the order of their names without regard to case. */
export const listRoles = (
  db: Db,
  { path, after, limit }: { path: string; after: string; limit: number },
): Promise<RoleRow[]> =>
  db
    .selectFrom('roles')
    .selectAll()
    .where((e) => e(e.fn<string>('substr', ['path', e.lit(1), e.lit(path.length)]), '=', path))
    .where('name_key', '>', after)
    .orderBy('name_key')
    .limit(limit)
    .execute()

export const findRolesByIds = async (db: Db, ids: readonly string[]): Promise<RoleRow[]> =>
  ids.length === 0 ? [] : db.selectFrom('roles').selectAll().where('id', 'in', ids).execute()
