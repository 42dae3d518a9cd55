import type { Db, NewRow, Row, Tx } from '../../../db/schema.ts'

export type IncomingRow = Row<'incoming'>

/** Creates or changes a reservation. */
export const putIncoming = (tx: Tx, row: NewRow<'incoming'>) =>
  tx
    .insertInto('incoming')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ bytes: row.bytes, expires_at: row.expires_at }))
    .execute()

export const lockIncoming = (tx: Tx, id: string): Promise<IncomingRow | undefined> =>
  tx.selectFrom('incoming').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const deleteIncoming = (tx: Tx, id: string) => tx.deleteFrom('incoming').where('id', '=', id).execute()

/** Deletes expired reservations, left by processes that died. */
export const deleteExpired = (tx: Tx, now: Date) =>
  tx.deleteFrom('incoming').where('expires_at', '<=', now.toISOString()).execute()

/** Count and bytes of uploads in progress through a link, except one. */
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
