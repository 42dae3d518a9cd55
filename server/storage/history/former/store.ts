// What objects were before: rows that triggers write, and this deletes once they are older than their bucket keeps them.
import { sql } from 'kysely'
import type { Db, Tx } from '../../../db/schema.ts'

/** The buckets of which something former is kept, deleted ones too. */
export const findBucketsWithFormer = (db: Db) =>
  db
    .selectFrom('buckets')
    .select(['id', 'trash_days', 'versioning', 'deleted_at'])
    .where((e) =>
      e.exists(e.selectFrom('former_objects').select('key').whereRef('former_objects.bucket_id', '=', 'buckets.id')),
    )
    .execute()

/**
 * Deletes the oldest that ended by a moment, but for those that are still kept as versions; returns how many, and the moment
 * when the last of them ended.
 */
export async function deleteEnded(
  tx: Tx,
  { bucketId, by, limit }: { bucketId: string; by: number; limit: number },
): Promise<{ deleted: number; ended: number }> {
  const { rows } = await sql<{ ended: number }>`
    delete from former_objects where bucket_id = ${bucketId} and (key, ended, moment) in (
      select f.key, f.ended, f.moment from former_objects f
      where f.bucket_id = ${bucketId} and f.ended <= ${by} and not exists (
        select 1 from versions v where v.bucket_id = f.bucket_id and v.key = f.key and v.blob_id = f.blob_id)
      order by f.ended limit ${limit}
    ) returning ended`.execute(tx)
  return { deleted: rows.length, ended: rows.reduce((last, { ended }) => Math.max(last, Number(ended)), 0) }
}

/** Notes that what a bucket was before a moment is not known any more. */
export const noteForgotten = (tx: Tx, bucketId: string, moment: number) =>
  tx
    .insertInto('forgotten_moments')
    .values({ bucket_id: bucketId, moment })
    .onConflict((conflict) =>
      conflict.column('bucket_id').doUpdateSet({ moment }).where('forgotten_moments.moment', '<', moment),
    )
    .execute()

/** Up to which moment nothing is known of a bucket any more, and since when changes are known at all. */
export const findSince = (db: Db, bucketId: string) =>
  db
    .selectFrom('instance')
    .select((e) => [
      'moments_since',
      e.selectFrom('forgotten_moments').select('moment').where('bucket_id', '=', bucketId).as('forgotten'),
    ])
    .executeTakeFirstOrThrow()

/** The moment of the last change of a bucket; 0 if it never had one. */
export async function findLatest(db: Db, bucketId: string): Promise<number> {
  const { objects, former } = await db
    .selectNoFrom((e) => [
      e
        .selectFrom('objects')
        .select(({ fn }) => fn.max<number | null>('moment').as('moment'))
        .where('bucket_id', '=', bucketId)
        .as('objects'),
      e
        .selectFrom('former_objects')
        .select(({ fn }) => fn.max<number | null>('ended').as('ended'))
        .where('bucket_id', '=', bucketId)
        .as('former'),
    ])
    .executeTakeFirstOrThrow()
  return Math.max(Number(objects ?? 0), Number(former ?? 0))
}
