import type { Db, Row, Tx } from '../db/schema.ts'

export const readInstance = (db: Db): Promise<Row<'instance'>> =>
  db.selectFrom('instance').selectAll().executeTakeFirstOrThrow()

/** The same, locked until the transaction ends. */
export const lockInstance = (tx: Tx): Promise<Row<'instance'>> =>
  tx.selectFrom('instance').selectAll().forUpdate().executeTakeFirstOrThrow()

export const writeFingerprint = (tx: Tx, key_fingerprint: string) =>
  tx.updateTable('instance').set({ key_fingerprint }).execute()

/** Whether any object, in the trash or not, has its bytes in the storage. */
export async function pointsAtBlobs(db: Db): Promise<boolean> {
  const object = await db.selectFrom('objects').select('blob_id').limit(1).executeTakeFirst()
  return (
    object !== undefined || (await db.selectFrom('trash').select('blob_id').limit(1).executeTakeFirst()) !== undefined
  )
}
