import type { Db, NewRow, Row, Tx } from '../db/schema.ts'

/** Gives nothing back when the address is taken. */
export const insertUser = (tx: Tx, row: NewRow<'users'>): Promise<Row<'users'> | undefined> =>
  tx
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const findByEmailKey = (db: Db, key: string) =>
  db
    .selectFrom('users')
    .select(['id', 'email', 'display_name', 'password_hash', 'token_version', 'disabled_at'])
    .where('email_key', '=', key)
    .executeTakeFirst()

export const updateLogin = (tx: Tx, id: string, change: { last_login_at: string; password_hash?: string }) =>
  tx.updateTable('users').set(change).where('id', '=', id).execute()

export const findUser = (db: Db, id: string) =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

export const hasUsers = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined

/** Users after an address, in its order. */
export const listUsers = (db: Db, after: string, limit: number): Promise<Row<'users'>[]> =>
  db.selectFrom('users').selectAll().where('email_key', '>', after).orderBy('email_key').limit(limit).execute()
