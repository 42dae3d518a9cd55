// What changes when a bucket's bytes are copied to another storage.
import type { Row, Tx } from '../../../db/schema.ts'

/**
 * Has everything in a bucket that points at a blob point at its copy, and what jobs have noted of it; `encryption`: which is
 * encrypted so. Rows of other buckets stay.
 */
export async function replaceBlob(
  tx: Tx,
  bucketId: string,
  from: string,
  { id: to, encryption }: { id: string; encryption?: string | null },
): Promise<void> {
  for (const table of ['objects', 'versions', 'trash'] as const)
    await tx
      .updateTable(table)
      .set(encryption === undefined ? { blob_id: to } : { blob_id: to, encryption })
      .where('bucket_id', '=', bucketId)
      .where('blob_id', '=', from)
      .execute()
  await tx
    .updateTable('job_moves')
    .set({ blob_id: to })
    .where('bucket_id', '=', bucketId)
    .where('blob_id', '=', from)
    .execute()
  await tx.updateTable('job_items').set({ blob_id: to }).where('blob_id', '=', from).execute()
}

export const setStorage = (tx: Tx, bucketId: string, storage_id: number | null) =>
  tx.updateTable('buckets').set({ storage_id }).where('id', '=', bucketId).execute()

/** Locks a bucket against every other change. */
export const lockBucket = (tx: Tx, name: string): Promise<Row<'buckets'> | undefined> =>
  tx
    .selectFrom('buckets')
    .selectAll()
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
