import type { Db, Row, Tx } from '../../db/schema.ts'

export const readInstance = (db: Db): Promise<Row<'instance'>> =>
  db.selectFrom('instance').selectAll().executeTakeFirstOrThrow()

/** The same, locked until the transaction ends. */
export const lockInstance = (tx: Tx): Promise<Row<'instance'>> =>
  tx.selectFrom('instance').selectAll().forUpdate().executeTakeFirstOrThrow()

export const writeFingerprint = (tx: Tx, key_fingerprint: string) =>
  tx.updateTable('instance').set({ key_fingerprint }).execute()
