import type { ExpressionBuilder } from 'kysely'
import type { Db, NewRow, Row, RowChange, Schema, Tx } from '../../../db/schema.ts'

export type ScanRow = Row<'scans'>
export type Attachment = Row<'attachments'>

export const updateAttachment = (tx: Tx, bucketId: string, change: RowChange<'attachments'>) =>
  tx.updateTable('attachments').set(change).where('bucket_id', '=', bucketId).execute()

/** What a bucket shows; undefined for a released one. */
export const findAttachment = (db: Db, bucketId: string): Promise<Attachment | undefined> =>
  db.selectFrom('attachments').selectAll().where('bucket_id', '=', bucketId).executeTakeFirst()

/** Like `findAttachment`, locked until the transaction ends. */
export const lockAttachment = (tx: Tx, bucketId: string): Promise<Attachment | undefined> =>
  tx.selectFrom('attachments').selectAll().where('bucket_id', '=', bucketId).forUpdate().executeTakeFirst()

/** Of all live buckets that are not being released, with when their storage was turned off, if it is. */
export const listAttachments = (db: Db) =>
  db
    .selectFrom('attachments')
    .innerJoin('storages', 'storages.id', 'attachments.storage_id')
    .innerJoin('buckets', 'buckets.id', 'attachments.bucket_id')
    .selectAll('attachments')
    .select('storages.disabled_at')
    .where('deleted_at', 'is', null)
    .where('mode', '<>', 'releasing')
    .orderBy('bucket_id')
    .execute()

export const columns = [
  'id',
  'bucket_id',
  'status',
  'phase',
  'started_by',
  'position',
  'seen',
  'added',
  'changed',
  'absent',
  'missing',
  'removed',
  'refused',
  'refused_keys',
  'refused_to',
  'recorded',
  'held_reason',
  'detail',
  'runner',
  'leased_until',
  'created_at',
  'created_by',
  'started_at',
  'finished_at',
  'confirmed_at',
  'confirmed_by',
  'take_over',
  'reordered',
] as const satisfies readonly (keyof ScanRow)[]

/** Whether a scan still needs work. */
export const isOpen = (e: ExpressionBuilder<Schema, 'scans'>) => e('status', 'in', ['queued', 'running'])

export const insertScan = (tx: Tx, row: NewRow<'scans'>) => tx.insertInto('scans').values(row).execute()

export const updateScan = (tx: Tx, id: string, change: RowChange<'scans'>) =>
  tx.updateTable('scans').set(change).where('id', '=', id).execute()

/** A scan that is queued or running. */
export const findOpenScan = (db: Db, bucketId: string): Promise<ScanRow | undefined> =>
  db
    .selectFrom('scans')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst()

export const findScan = (db: Db, id: string) =>
  db
    .selectFrom('scans')
    .innerJoin('buckets', 'buckets.id', 'scans.bucket_id')
    .selectAll('scans')
    .select('buckets.name')
    .where('scans.id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** Scans of a bucket, latest first. */
export const listScans = (db: Db, bucketId: string, before: string | undefined, limit: number): Promise<ScanRow[]> => {
  const query = db.selectFrom('scans').selectAll().where('bucket_id', '=', bucketId)
  return (before === undefined ? query : query.where('id', '<', before)).orderBy('id', 'desc').limit(limit).execute()
}

/** How many of a bucket's latest scans can be the held one that counts: it, and the one that runs. */
const LATEST = 2
/** The held scans of attached buckets that nothing has superseded, by the names of these. */
export const listHeld = (db: Db) =>
  db
    .selectFrom('attachments')
    .innerJoin('buckets', 'buckets.id', 'attachments.bucket_id')
    .innerJoin('scans', (join) =>
      join.on('scans.id', 'in', (e) =>
        e
          .selectFrom('scans as latest')
          .select('latest.id')
          .whereRef('latest.bucket_id', '=', 'attachments.bucket_id')
          .orderBy('latest.id', 'desc')
          .limit(LATEST),
      ),
    )
    .select(['scans.id', 'scans.held_reason', 'buckets.name'])
    .where('buckets.deleted_at', 'is', null)
    .where('buckets.mode', '=', 'read_only')
    .where('scans.status', '=', 'held')
    .orderBy('buckets.name')
    .execute()

/** When the first scan of a bucket that is still known came to its end; null before. */
export const findFirstEnd = async (db: Db, bucketId: string): Promise<string | null> =>
  (
    await db
      .selectFrom('scans')
      .select('finished_at')
      .where('bucket_id', '=', bucketId)
      .where('status', '=', 'succeeded')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
  )?.finished_at ?? null

/** Ends held scans before another one that has ended. */
export const supersede = (tx: Tx, bucketId: string, id: string) =>
  tx
    .updateTable('scans')
    .set({ status: 'superseded' })
    .where('bucket_id', '=', bucketId)
    .where('status', '=', 'held')
    .where('id', '<', id)
    .execute()

export const deleteOldScans = (tx: Tx, before: Date) =>
  tx.deleteFrom('scans').where('finished_at', '<', before.toISOString()).execute()

/** Notes keys that may have changed. */
export const putHints = (tx: Tx, rows: readonly Row<'scan_hints'>[]) =>
  tx
    .insertInto('scan_hints')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['bucket_id', 'key']).doUpdateSet((e) => ({ hinted_at: e.ref('excluded.hinted_at') })),
    )
    .execute()

/** Hints of live buckets whose storage is on, oldest first. */
export const listHints = (db: Db, limit: number): Promise<Row<'scan_hints'>[]> =>
  db
    .selectFrom('scan_hints')
    .innerJoin('attachments', 'attachments.bucket_id', 'scan_hints.bucket_id')
    .innerJoin('storages', 'storages.id', 'attachments.storage_id')
    .selectAll('scan_hints')
    .where('disabled_at', 'is', null)
    .orderBy('hinted_at')
    .limit(limit)
    .execute()

/** Deletes a hint that was followed, unless another one for its key has come since. */
export const deleteHint = (tx: Tx, { bucket_id, key, hinted_at }: Row<'scan_hints'>) =>
  tx
    .deleteFrom('scan_hints')
    .where('bucket_id', '=', bucket_id)
    .where('key', '=', key)
    .where('hinted_at', '=', hinted_at)
    .execute()
