import { sql } from 'kysely'
import { afterPrefix } from '../../../contract/permissions.ts'
import { kept } from '../../db/kept.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

/** The scope of the quota over all buckets. */
export const TOTAL = '00000000-0000-0000-0000-000000000000'

/** Returns undefined if the name is taken. */
export const insertBucket = (tx: Tx, row: NewRow<'buckets'>): Promise<Row<'buckets'> | undefined> =>
  tx
    .insertInto('buckets')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export type BucketRow = Row<'buckets'> & { quota_gb: number | null }

const withQuota = (db: Db) =>
  db
    .selectFrom('buckets')
    .leftJoin('quotas', 'quotas.scope', 'buckets.id')
    .selectAll('buckets')
    .select('quotas.quota_gb')

/** A bucket with the quota over all buckets, null if there is none. */
export interface FoundBucket extends BucketRow {
  total_quota_gb: number | null
  total_used_bytes: number | null
}
const byName = prepared((db: Db, { name, total }: { name: string; total: string }) =>
  withQuota(db)
    .leftJoin('quotas as total', (join) => join.on('total.scope', '=', total))
    .select(['total.quota_gb as total_quota_gb', 'total.used_bytes as total_used_bytes'])
    .where('name', '=', name)
    .where('deleted_at', 'is', null),
)
export const findBucket = kept(
  (db, name) => byName(db, { name, total: TOTAL }).then(([found]): FoundBucket | undefined => found),
  // What all buckets use changes with every upload.
  ({ total_quota_gb }) => total_quota_gb === null,
)

/** Live buckets after a name whose names start with a text, in name order. */
export const listBuckets = (db: Db, after: string, limit: number, prefix = ''): Promise<BucketRow[]> => {
  const all = withQuota(db).where('deleted_at', 'is', null).where('name', '>', after)
  const end = afterPrefix(prefix)
  const begun = end === null ? all : all.where('name', '>=', prefix).where('name', '<', end)
  return begun.orderBy('name').limit(limit).execute()
}

/**
 * Locks a bucket for a change of its contents: nobody can delete it or set its quota meanwhile, but others may change
 * contents too.
 */
export const shareBucket = (tx: Tx, name: string) => shared(tx, name)
const share = prepared((tx: Db, { name }: { name: string }) =>
  tx
    .selectFrom('buckets')
    .select(['buckets.id', 'name', 'trash_days', 'versioning', 'object_lock', 'storage_id', 'mode'])
    .select((e) =>
      e
        .selectFrom('bucket_config')
        .select('document')
        .whereRef('bucket_id', '=', 'buckets.id')
        .where('kind', '=', sql.lit('lifecycle'))
        .as('lifecycle'),
    )
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .forShare(),
)
// Kept only where there is nothing to lock: SQLite has one writer at a time.
const shared = kept((db, name) => share(db, { name }).then(([found]) => found))

/** Like `shareBucket`, by id and including deleted buckets, for work that remains after a bucket has lost its name. */
export const shareAnyBucket = async (tx: Tx, id: string) =>
  tx
    .selectFrom('buckets')
    .select([
      'buckets.id',
      'name',
      'trash_days',
      'versioning',
      'object_lock',
      'storage_id',
      'mode',
      'former_name',
      'deleted_at',
    ])
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst()

/** Locks a bucket against every other change. */
export const lockBucket = (tx: Tx, name: string) =>
  tx
    .selectFrom('buckets')
    .selectAll()
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()

/** Like `lockBucket`, by id and including deleted buckets. */
export const lockAnyBucket = (tx: Tx, id: string) =>
  tx.selectFrom('buckets').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** Locks the quotas that apply to a bucket, so that others growing it wait; locks nothing if there are none. */
export const lockQuotas = (tx: Tx, bucketId: string) => quotasOf(tx, { scope: bucketId, total: TOTAL })
const quotasOf = prepared((tx: Tx, { scope, total }: { scope: string; total: string }) =>
  tx.selectFrom('quotas').selectAll().where('scope', 'in', [scope, total]).orderBy('scope').forUpdate(),
)
/** Like `lockQuotas`, by the bucket's name. */
export const lockQuotasOf = async (tx: Tx, bucket: string) => (await quotasKept(tx, bucket)) ?? []
const quotasKept = kept(
  (db, bucket) => quotasByName(db, { bucket, total: TOTAL }),
  // What is used changes with every upload.
  (quotas) => quotas.length === 0,
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

export const addToQuota = prepared((tx: Tx, { scope, bytes }: { scope: string; bytes: number }) =>
  tx
    .updateTable('quotas')
    .set((e) => ({ used_bytes: e('used_bytes', '+', bytes) }))
    .where('scope', '=', scope),
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

export const describeBucket = (tx: Tx, bucketId: string, change: RowChange<'buckets'>) =>
  tx.updateTable('buckets').set(change).where('id', '=', bucketId).execute()

/** Has the sweeper remove what of open uploads has arrived. */
export const expireUploads = (tx: Tx, bucketId: string, now: Date) =>
  tx.updateTable('uploads').set({ expires_at: now.toISOString() }).where('bucket_id', '=', bucketId).execute()

/**
 * Frees the name and expires open uploads, which the sweeper then removes. The row stays until the trash is empty,
 * under a name that is not a valid one and matches no pattern.
 */
export async function softDeleteBucket(tx: Tx, { id, name }: { id: string; name: string }, now: Date): Promise<void> {
  await expireUploads(tx, id, now)
  await tx
    .updateTable('buckets')
    .set({ name: `~${id}`, former_name: name, deleted_at: now.toISOString() })
    .where('id', '=', id)
    .execute()
}

export interface Usage {
  /** Of objects and versions. */
  bytes: number
  objects: number
  trash_bytes: number
  /** The part of `bytes` that are those of noncurrent versions. */
  version_bytes: number
  /** Bytes reserved by open multipart uploads. */
  reserved: number
}

export const addUsage = prepared((tx: Tx, row: Usage & { bucket_id: string; shard: number }) =>
  tx
    .insertInto('bucket_usage')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['bucket_id', 'shard']).doUpdateSet((e) => ({
        bytes: e('bucket_usage.bytes', '+', e.ref('excluded.bytes')),
        objects: e('bucket_usage.objects', '+', e.ref('excluded.objects')),
        trash_bytes: e('bucket_usage.trash_bytes', '+', e.ref('excluded.trash_bytes')),
        version_bytes: e('bucket_usage.version_bytes', '+', e.ref('excluded.version_bytes')),
        reserved: e('bucket_usage.reserved', '+', e.ref('excluded.reserved')),
      })),
    ),
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
      e.fn.sum<number>('reserved').as('reserved'),
    ])
    .where('bucket_id', 'in', bucketIds)
    .groupBy('bucket_id')
    .execute()
  return new Map(rows.map(({ bucket_id, ...usage }) => [bucket_id, usage]))
}

/** What keeps the row of a deleted bucket: its trash, and what is still to be removed. */
const HOLDING = ['trash', 'objects', 'uploads', 'external_blobs', 'external_removals'] as const

/** Deletes the rows of deleted buckets of which nothing is left. */
export const deleteSoftDeleted = (tx: Tx) =>
  tx
    .deleteFrom('buckets')
    .where('deleted_at', 'is not', null)
    .where((e) =>
      e.and(
        HOLDING.map((table) =>
          e.not(e.exists(e.selectFrom(table).select('bucket_id').whereRef(`${table}.bucket_id`, '=', 'buckets.id'))),
        ),
      ),
    )
    .execute()

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

/** Whether a bucket has any objects, or any noncurrent versions and delete markers. */
export const hasAny = async (db: Db, table: 'objects' | 'versions', bucketId: string): Promise<boolean> =>
  (await db.selectFrom(table).select('key').where('bucket_id', '=', bucketId).limit(1).executeTakeFirst()) !== undefined

/** A live bucket's name. */
export const findBucketName = async (db: Db, id: string): Promise<string | undefined> =>
  (
    await db
      .selectFrom('buckets')
      .select('name')
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
  )?.name

/** The quota over all buckets, if there is one. */
export const findTotalQuota = (db: Db) =>
  db.selectFrom('quotas').selectAll().where('used_bytes', 'is not', null).executeTakeFirst()

export type ConfigKind = Row<'bucket_config'>['kind']

export const putDocument = (tx: Tx, row: NewRow<'bucket_config'>) =>
  tx
    .insertInto('bucket_config')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['bucket_id', 'kind']).doUpdateSet((e) => ({
        document: e.ref('excluded.document'),
        updated_at: e.ref('excluded.updated_at'),
        updated_by: e.ref('excluded.updated_by'),
      })),
    )
    .execute()

export const deleteDocument = (tx: Tx, bucketId: string, kind: ConfigKind) =>
  tx.deleteFrom('bucket_config').where('bucket_id', '=', bucketId).where('kind', '=', kind).execute()
