import { sql } from 'kysely'
import { afterPrefix } from '../../../contract/permissions.ts'
import { kept } from '../../db/kept.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'
import { TOTAL } from './quotas/store.ts'

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
  { isKept: ({ total_quota_gb }) => total_quota_gb === null },
)

/** Live buckets after a name whose names start with a text, in name order. */
export const listBuckets = (db: Db, after: string, limit: number, prefix = ''): Promise<BucketRow[]> => {
  const all = withQuota(db).where('deleted_at', 'is', null)
  const rest = after < prefix ? all.where('name', '>=', prefix) : all.where('name', '>', after)
  const end = afterPrefix(prefix)
  return (end === null ? rest : rest.where('name', '<', end)).orderBy('name').limit(limit).execute()
}

/**
 * Locks a bucket for a change of its contents: nobody can delete it or set its quota meanwhile, but others may change
 * contents too.
 */
export const shareBucket = (tx: Tx, name: string) => shared(tx, name)
const HELD = [
  'buckets.id',
  'name',
  'trash_days',
  'versioning',
  'object_lock',
  'storage_id',
  'mode',
  'encryption',
  'quota_includes_history',
] as const
const share = prepared((tx: Db, { name }: { name: string }) =>
  tx
    .selectFrom('buckets')
    .select(HELD)
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
const shared = kept((db, name) => share(db, { name }).then(([found]) => found), { locks: true })

/** Like `shareBucket`, by id and including deleted buckets, for work that remains after a bucket has lost its name. */
export const shareAnyBucket = async (tx: Tx, id: string) =>
  tx
    .selectFrom('buckets')
    .select(HELD)
    .select(['former_name', 'deleted_at'])
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

/** What keeps the row of a deleted bucket: its trash, and what is still to be removed. */
const HOLDING = [
  'trash',
  'objects',
  'versions',
  'former_objects',
  'history_contents',
  'uploads',
  'external_blobs',
  'external_removals',
] as const

/** Deletes the rows of deleted buckets of which nothing is left, and that are not about to be filled. */
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
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('bucket_forks')
            .select('bucket_id')
            .where((f) =>
              f.or([f('bucket_id', '=', e.ref('buckets.id')), f('placeholder_id', '=', e.ref('buckets.id'))]),
            )
            .where('placeholder_id', 'is not', null),
        ),
      ),
    )
    .execute()

/** Whether a bucket has any objects, or any noncurrent versions and delete markers. */
export const hasAny = async (db: Db, table: 'objects' | 'versions', bucketId: string): Promise<boolean> =>
  (await db.selectFrom(table).select('key').where('bucket_id', '=', bucketId).limit(1).executeTakeFirst()) !== undefined

/** The snapshot that a fork has of how it began. It is no valid name: nobody sees it, or can delete it. */
export const BEGINNING = '~fork'

/** Whether moments of a bucket are kept that somebody asked for, whose names do not start with `~`. */
export const hasSnapshots = async (db: Db, bucketId: string): Promise<boolean> =>
  (await db
    .selectFrom('snapshots')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .where('name', 'not like', '~%')
    .executeTakeFirst()) !== undefined

/** Ends all snapshots of a bucket: what only they kept is to be released. */
export async function endSnapshots(tx: Tx, bucketId: string, now: Date): Promise<void> {
  const deleted = await tx.deleteFrom('snapshots').where('bucket_id', '=', bucketId).returning('id').execute()
  const ended_at = now.toISOString()
  if (deleted.length > 0)
    await tx
      .insertInto('ended_snapshots')
      .values({ bucket_id: bucketId, ended_at })
      .onConflict((conflict) => conflict.column('bucket_id').doUpdateSet({ ended_at }))
      .execute()
}

/** A live bucket by its id. */
export const findBucketById = (db: Db, id: string): Promise<Row<'buckets'> | undefined> =>
  db.selectFrom('buckets').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst()

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

/** Gives a bucket its name, and what has been configured of the one that had it. */
export async function giveName(
  tx: Tx,
  bucketId: string,
  { name, created_at, from }: { name: string; created_at: string; from: string },
): Promise<void> {
  await tx
    .updateTable('buckets')
    .set({ name, former_name: null, deleted_at: null, created_at })
    .where('id', '=', bucketId)
    .execute()
  await tx.updateTable('bucket_config').set({ bucket_id: bucketId }).where('bucket_id', '=', from).execute()
}

/** Up to which moment, in microseconds since 1970, nothing is known of buckets any more, by their ids; without those of which all is. */
export async function findForgotten(db: Db, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('forgotten_moments').selectAll().where('bucket_id', 'in', ids).execute()
  return new Map(rows.map(({ bucket_id, moment }) => [bucket_id, Number(moment)]))
}
