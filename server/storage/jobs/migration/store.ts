// What changes when a bucket's bytes are copied to another storage.
import type { Row, Tx } from '../../../db/schema.ts'

/**
 * Has everything in a bucket that points at a blob point at its copy, and what jobs have noted of it; `encryption`: which is
 * encrypted so. Rows of other buckets stay. Returns of how many objects, and how many bytes of objects and versions, that is.
 */
export async function replaceBlob(
  tx: Tx,
  bucketId: string,
  from: string,
  { id: to, encryption }: { id: string; encryption?: string | null },
): Promise<{ objects: number; bytes: number }> {
  const changed = { objects: 0, bytes: 0 }
  for (const table of ['objects', 'versions', 'trash', 'history_contents'] as const) {
    const rows = await tx
      .updateTable(table)
      .set(encryption === undefined ? { blob_id: to } : { blob_id: to, encryption })
      .where('bucket_id', '=', bucketId)
      .where('blob_id', '=', from)
      .returning('size')
      .execute()
    if (table === 'objects') changed.objects += rows.length
    if (table === 'objects' || table === 'versions') changed.bytes += rows.reduce((sum, { size }) => sum + size, 0)
  }
  // What keys were before is kept in the trash, among the versions and for snapshots, which point at the copy now.
  await tx
    .updateTable('former_objects')
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
  return changed
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
