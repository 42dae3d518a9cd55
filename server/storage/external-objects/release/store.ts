import { type KeyOrder, sortKeyOf } from '../../../base/key-order.ts'
import type { Db, ObjectRow, Row, RowChange, Tx } from '../../../db/schema.ts'
import { isUnderLock } from '../../locks/store.ts'

export type Attachment = Row<'attachments'>

export const lockAttachment = (tx: Tx, bucketId: string): Promise<Attachment | undefined> =>
  tx.selectFrom('attachments').selectAll().where('bucket_id', '=', bucketId).forUpdate().executeTakeFirst()

/** The bucket that a job releases. */
export const findReleasing = (db: Db, jobId: string): Promise<Attachment | undefined> =>
  db.selectFrom('attachments').selectAll().where('release_job', '=', jobId).executeTakeFirst()

export const updateAttachment = (tx: Tx, bucketId: string, change: RowChange<'attachments'>) =>
  tx.updateTable('attachments').set(change).where('bucket_id', '=', bucketId).execute()

export const deleteFindings = (tx: Tx, bucketId: string) =>
  tx.deleteFrom('findings').where('bucket_id', '=', bucketId).execute()

/** Whether a bucket has anything for which a layout of keys has no place. */
export async function findUnreleasable(
  db: Db,
  bucketId: string,
  ended: { endedBy: string | null },
): Promise<'versions' | 'trash' | 'locks' | 'snapshots' | null> {
  for (const table of ['versions', 'trash'] as const)
    if (await db.selectFrom(table).select('key').where('bucket_id', '=', bucketId).limit(1).executeTakeFirst())
      return table
  const locked = await db
    .selectFrom('objects')
    .select('key')
    .where('bucket_id', '=', bucketId)
    .where((e) => e.or([e('legal_hold', 'is not', null), isUnderLock(e, ended)]))
    .limit(1)
    .executeTakeFirst()
  if (locked) return 'locks'
  const snapshot = await db.selectFrom('snapshots').select('id').where('bucket_id', '=', bucketId).executeTakeFirst()
  return snapshot ? 'snapshots' : null
}

/** An object, with the MD5 of its bytes if that is known, and where an engine has them, if one does. */
export type Releasable = ObjectRow & {
  md5: string | null
  engine_key: string | null
  engine_etag: string | null
}

/**
 * Objects after a key, up to another one or, with null, to the end, in an order of keys; by segments, of those whose bytes
 * an engine has and of which it is noted where they are, with this prefix before their keys.
 */
export const listReleasable = (
  db: Db,
  bucketId: string,
  { after, to, order, prefix }: { after: string; to: string | null; order: KeyOrder; prefix: string },
  limit: number,
): Promise<Releasable[]> => {
  const query = db
    .selectFrom('objects')
    .innerJoin('blobs', 'blobs.id', 'objects.blob_id')
    .leftJoin('external_blobs', 'external_blobs.blob_id', 'objects.blob_id')
    .selectAll('objects')
    .select(['blobs.md5', 'external_blobs.key as engine_key', 'external_blobs.etag as engine_etag'])
  if (order === 'segments') {
    const sorted = query
      .where('external_blobs.bucket_id', '=', bucketId)
      .where('sort_key', '>', sortKeyOf(prefix + after))
    return (to === null ? sorted : sorted.where('sort_key', '<=', sortKeyOf(prefix + to)))
      .orderBy('sort_key')
      .limit(limit)
      .execute()
  }
  const ours = query.where('objects.bucket_id', '=', bucketId).where('objects.key', '>', after)
  return (to === null ? ours : ours.where('objects.key', '<=', to)).orderBy('objects.key').limit(limit).execute()
}
