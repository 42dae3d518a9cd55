import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'

export type IncomingRow = Row<'incoming'>

/** Reserves, or changes what is reserved. */
export const putIncoming = (tx: Tx, row: NewRow<'incoming'>) =>
  tx
    .insertInto('incoming')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ bytes: row.bytes, expires_at: row.expires_at }))
    .execute()

export const lockIncoming = (tx: Tx, id: string): Promise<IncomingRow | undefined> =>
  tx.selectFrom('incoming').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const deleteIncoming = (tx: Tx, id: string) => tx.deleteFrom('incoming').where('id', '=', id).execute()

/** Forgets what a process that ended has left. */
export const deleteExpired = (tx: Tx, now: Date) =>
  tx.deleteFrom('incoming').where('expires_at', '<=', now.toISOString()).execute()

/** How many uploads through a link are under way, and bytes, but for one of them. */
export const sumOfLink = (db: Db, shareId: string, but: string): Promise<{ uploads: number; bytes: number }> =>
  db
    .selectFrom('incoming')
    .select((e) => [
      e.fn.countAll<number>().as('uploads'),
      e.fn.coalesce(e.fn.sum<number>('bytes'), e.lit(0)).as('bytes'),
    ])
    .where('share_id', '=', shareId)
    .where('id', '<>', but)
    .executeTakeFirstOrThrow()
