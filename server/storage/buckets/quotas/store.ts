// What buckets hold and may hold: quotas, usage and the bytes on their way.
import { kept } from '../../../db/kept.ts'
import { prepared } from '../../../db/prepare.ts'
import type { Db, Tx } from '../../../db/schema.ts'

/** The scope of the quota over all buckets. */
export const TOTAL = '00000000-0000-0000-0000-000000000000'

/** Locks the quotas that apply to a bucket, so that others growing it wait; locks nothing if there are none. */
export const lockQuotas = (tx: Tx, bucketId: string) => quotasOf(tx, { scope: bucketId, total: TOTAL })
const quotasOf = prepared((tx: Tx, { scope, total }: { scope: string; total: string }) =>
  tx.selectFrom('quotas').selectAll().where('scope', 'in', [scope, total]).orderBy('scope').forUpdate(),
)

/** Like `lockQuotas`, by the name of a bucket that is locked: so nobody sets its quota, nor that of all buckets. */
export const lockQuotasOf = async (tx: Tx, bucket: string) => (await quotasKept(tx, bucket)) ?? []
const quotasKept = kept(
  (db, bucket) => quotasByName(db, { bucket, total: TOTAL }),
  // What is used changes with every upload.
  { isKept: (quotas) => quotas.length === 0 },
)
const quotasByName = prepared((tx: Db, { bucket, total }: { bucket: string; total: string }) =>
  tx
    .selectFrom('quotas')
    .selectAll()
    .where((e) =>
      e.or([
        e('scope', '=', total),
        e(
          'scope',
          '=',
          e.selectFrom('buckets').select('id').where('name', '=', bucket).where('deleted_at', 'is', null),
        ),
      ]),
    )
    .orderBy('scope')
    .forUpdate(),
)

/** `used_bytes`, stored plus reserved, is maintained in the row if it is not null. */
export const setQuota = (tx: Tx, scope: string, quota_gb: number, used_bytes: number | null = null) =>
  tx
    .insertInto('quotas')
    .values({ scope, quota_gb, used_bytes })
    .onConflict((conflict) => conflict.column('scope').doUpdateSet({ quota_gb, used_bytes }))
    .execute()

export const clearQuota = (tx: Tx, scope: string) => tx.deleteFrom('quotas').where('scope', '=', scope).execute()

export const addToQuota = prepared(
  (tx: Tx, { scope, bytes }: { scope: string; bytes: number }) =>
    tx
      .updateTable('quotas')
      .set((e) => ({ used_bytes: e('used_bytes', '+', bytes) }))
      .where('scope', '=', scope),
  { blind: true },
)

/** Locks every bucket against changes of its contents. */
export const lockAllBuckets = (tx: Tx) => tx.selectFrom('buckets').select('id').orderBy('id').forUpdate().execute()

/** Of all buckets but those that show what others keep. */
export const sumAllUsage = async (tx: Tx): Promise<number> =>
  (
    await tx
      .selectFrom('bucket_usage')
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('buckets')
              .select('buckets.id')
              .whereRef('buckets.id', '=', 'bucket_usage.bucket_id')
              .where('mode', '=', 'read_only'),
          ),
        ),
      )
      .select((e) => e.fn.coalesce(e.fn.sum<number>(e('bytes', '+', e.ref('reserved'))), e.lit(0)).as('bytes'))
      .executeTakeFirstOrThrow()
  ).bytes

export interface Usage {
  /** Of objects and versions. */
  bytes: number
  objects: number
  trash_bytes: number
  /** The part of `bytes` that are those of noncurrent versions. */
  version_bytes: number
  /** The parts of `bytes` and `objects` that are encrypted. */
  encrypted_bytes: number
  encrypted_objects: number
  /** Of contents that only snapshots keep. */
  history_bytes: number
  /** Bytes reserved by open multipart uploads. */
  reserved: number
}

export const addUsage = prepared(
  (tx: Tx, row: Usage & { bucket_id: string; shard: number }) =>
    tx
      .insertInto('bucket_usage')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['bucket_id', 'shard']).doUpdateSet((e) => ({
          bytes: e('bucket_usage.bytes', '+', e.ref('excluded.bytes')),
          objects: e('bucket_usage.objects', '+', e.ref('excluded.objects')),
          trash_bytes: e('bucket_usage.trash_bytes', '+', e.ref('excluded.trash_bytes')),
          version_bytes: e('bucket_usage.version_bytes', '+', e.ref('excluded.version_bytes')),
          encrypted_bytes: e('bucket_usage.encrypted_bytes', '+', e.ref('excluded.encrypted_bytes')),
          encrypted_objects: e('bucket_usage.encrypted_objects', '+', e.ref('excluded.encrypted_objects')),
          history_bytes: e('bucket_usage.history_bytes', '+', e.ref('excluded.history_bytes')),
          reserved: e('bucket_usage.reserved', '+', e.ref('excluded.reserved')),
        })),
      ),
  { blind: true },
)

/** Exact usage of the given buckets; one that never held anything is missing. */
export async function sumUsage(db: Db, bucketIds: readonly string[]): Promise<Map<string, Usage>> {
  if (bucketIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('bucket_usage')
    .select((e) => [
      'bucket_id',
      e.fn.sum<number>('bytes').as('bytes'),
      e.fn.sum<number>('objects').as('objects'),
      e.fn.sum<number>('trash_bytes').as('trash_bytes'),
      e.fn.sum<number>('version_bytes').as('version_bytes'),
      e.fn.sum<number>('encrypted_bytes').as('encrypted_bytes'),
      e.fn.sum<number>('encrypted_objects').as('encrypted_objects'),
      e.fn.sum<number>('history_bytes').as('history_bytes'),
      e.fn.sum<number>('reserved').as('reserved'),
    ])
    .where('bucket_id', 'in', bucketIds)
    .groupBy('bucket_id')
    .execute()
  return new Map(rows.map(({ bucket_id, ...usage }) => [bucket_id, usage]))
}

/** What all buckets hold together. */
export const sumStored = (
  db: Db,
): Promise<Pick<Usage, 'bytes' | 'objects' | 'encrypted_bytes' | 'encrypted_objects'>> =>
  db
    .selectFrom('bucket_usage')
    .select((e) => [
      e.fn.coalesce(e.fn.sum<number>('bytes'), e.lit(0)).as('bytes'),
      e.fn.coalesce(e.fn.sum<number>('objects'), e.lit(0)).as('objects'),
      e.fn.coalesce(e.fn.sum<number>('encrypted_bytes'), e.lit(0)).as('encrypted_bytes'),
      e.fn.coalesce(e.fn.sum<number>('encrypted_objects'), e.lit(0)).as('encrypted_objects'),
    ])
    .executeTakeFirstOrThrow()

export const deleteUsage = (tx: Tx, bucketId: string) =>
  tx.deleteFrom('bucket_usage').where('bucket_id', '=', bucketId).execute()

/** Bytes on their way into a bucket, and into all buckets. */
export const sumIncoming = (db: Db, bucketId: string): Promise<{ own: number; all: number }> =>
  db
    .selectFrom('incoming')
    .select((e) => [
      e.fn.coalesce(e.fn.sum<number>('bytes'), e.lit(0)).as('all'),
      e.fn.coalesce(e.fn.sum<number>('bytes').filterWhere('bucket_id', '=', bucketId), e.lit(0)).as('own'),
    ])
    .executeTakeFirstOrThrow()

/** The quota over all buckets, if there is one. */
export const findTotalQuota = (db: Db) =>
  db.selectFrom('quotas').selectAll().where('used_bytes', 'is not', null).executeTakeFirst()
