import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'

export const insertBucket = (tx: Tx, row: NewRow<'buckets'>): Promise<Row<'buckets'> | undefined> =>
  tx
    .insertInto('buckets')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const insertAttachment = (tx: Tx, row: NewRow<'attachments'>) =>
  tx.insertInto('attachments').values(row).execute()

/** Returns what it was. */
export const deleteAttachment = (tx: Tx, bucketId: string): Promise<Row<'attachments'> | undefined> =>
  tx.deleteFrom('attachments').where('bucket_id', '=', bucketId).returningAll().executeTakeFirst()

/** Deletes some objects of a released bucket, with what was known of their bytes; returns how many, and their size. */
export async function deleteSome(tx: Tx, bucketId: string, limit: number): Promise<{ objects: number; bytes: number }> {
  const rows = await tx
    .selectFrom('objects')
    .select(['key', 'blob_id', 'size'])
    .where('bucket_id', '=', bucketId)
    .orderBy('key')
    .limit(limit)
    .execute()
  if (rows.length === 0) return { objects: 0, bytes: 0 }
  const keys = rows.map(({ key }) => key)
  await tx.deleteFrom('objects').where('bucket_id', '=', bucketId).where('key', 'in', keys).execute()
  const blobs = rows.map(({ blob_id }) => blob_id)
  await tx.deleteFrom('blobs').where('id', 'in', blobs).execute()
  return { objects: rows.length, bytes: rows.reduce((sum, { size }) => sum + size, 0) }
}

/** The released buckets that still have objects. */
export const findReleased = async (db: Db): Promise<string[]> =>
  (
    await db
      .selectFrom('buckets')
      .select('id')
      .where('mode', '=', 'read_only')
      .where('deleted_at', 'is not', null)
      .where((e) =>
        e.exists(e.selectFrom('objects').select('objects.key').whereRef('objects.bucket_id', '=', 'buckets.id')),
      )
      .execute()
  ).map(({ id }) => id)
