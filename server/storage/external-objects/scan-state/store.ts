// What scans note of an attached bucket's objects: absent from a list, missing, not read yet, and where a list has them.
import { sortKeyOf } from '../../../base/key-order.ts'
import type { Db, RowChange, Tx } from '../../../db/schema.ts'
import { type ExternalObject, type ExternalRow, externalObjects, toExternal } from '../store.ts'

export const noteExternal = (tx: Tx, blobIds: readonly string[], change: RowChange<'external_blobs'>) =>
  tx.updateTable('external_blobs').set(change).where('blob_id', 'in', blobIds).execute()

/** Marks blobs as missing for one more scan. */
export const markMissing = (tx: Tx, blobIds: readonly string[], now: string) =>
  tx
    .updateTable('external_blobs')
    .set((e) => ({
      missing_since: e.fn.coalesce('missing_since', e.val(now)),
      absences: e('absences', '+', 1),
      absent_in: null,
      checked_at: now,
    }))
    .where('blob_id', 'in', blobIds)
    .execute()

/** Those of a bucket's objects that a scan did not find, after a key, in key order. */
export const listAbsent = async (
  db: Db,
  { scanId, bucketId, after = '' }: { scanId: string; bucketId: string; after?: string | undefined },
  limit: number,
): Promise<ExternalObject[]> =>
  (
    await externalObjects(db)
      .where('absent_in', '=', scanId)
      .where('objects.bucket_id', '=', bucketId)
      .where('objects.key', '>', after)
      .orderBy('external_blobs.key')
      .limit(limit)
      .execute()
  ).map(toExternal)

/** Bytes of a bucket after a key of the engine whose place in a list by path segments is not noted yet, in key order. */
export const listUnsorted = (db: Db, bucketId: string, after: string, limit: number) =>
  db
    .selectFrom('external_blobs')
    .select(['blob_id', 'key'])
    .where('bucket_id', '=', bucketId)
    .where('key', '>', after)
    .where('sort_key', 'is', null)
    .orderBy('key')
    .limit(limit)
    .execute()

/** Notes where these are in such a list. */
export async function noteSortKeys(tx: Tx, all: readonly Pick<ExternalRow, 'blob_id' | 'key'>[]): Promise<void> {
  for (const { blob_id, key } of all)
    await tx
      .updateTable('external_blobs')
      .set({ sort_key: sortKeyOf(key) })
      .where('blob_id', '=', blob_id)
      .execute()
}

/** How many of a bucket's objects were not read yet, and how many are marked as missing. */
export const countUnsettled = async (db: Db, bucketId: string): Promise<{ unread: number; missing: number }> => {
  const { unread, missing } = await db
    .selectFrom('external_blobs')
    .select((e) => [
      e.fn.countAll<number>().filterWhere('hydrated_at', 'is', null).as('unread'),
      e.fn.count<number>('missing_since').as('missing'),
    ])
    .where('bucket_id', '=', bucketId)
    .executeTakeFirstOrThrow()
  return { unread: Number(unread), missing: Number(missing) }
}

/** The keys of the first objects of a bucket that are marked as missing, in their order. */
export const listMissing = async (db: Db, bucketId: string, limit: number): Promise<string[]> =>
  (
    await db
      .selectFrom('external_blobs')
      .innerJoin('objects', 'objects.blob_id', 'external_blobs.blob_id')
      .select('objects.key')
      .where('external_blobs.bucket_id', '=', bucketId)
      .where('missing_since', 'is not', null)
      .orderBy('external_blobs.key')
      .limit(limit)
      .execute()
  ).map(({ key }) => key)

/** Notes when others changed something, unless the first scan is still finding out what there is. */
export const noteChange = (tx: Tx, bucketId: string, changed_at: string) =>
  tx
    .updateTable('attachments')
    .set({ changed_at })
    .where('bucket_id', '=', bucketId)
    .where('as_of', 'is not', null)
    .execute()

/** Whether a scan of an attached bucket has come to its end yet. */
export const isScanned = async (db: Db, bucketId: string): Promise<boolean> =>
  (await db
    .selectFrom('attachments')
    .select('bucket_id')
    .where('bucket_id', '=', bucketId)
    .where('as_of', 'is not', null)
    .executeTakeFirst()) !== undefined
