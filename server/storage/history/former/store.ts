// What objects were before: rows that triggers write, and this deletes once they are older than their bucket keeps them.
import { type Kysely, type SqlBool, sql } from 'kysely'
import { isInSnapshot } from '../../../blobs/history/store.ts'
import type { Db, Row, Schema, Tx } from '../../../db/schema.ts'

/** The buckets of which something former is kept, deleted ones too. */
export const findBucketsWithFormer = (db: Db) =>
  db
    .selectFrom('buckets')
    .select(['id', 'trash_days', 'versioning', 'deleted_at'])
    .where((e) =>
      e.exists(e.selectFrom('former_objects').select('key').whereRef('former_objects.bucket_id', '=', 'buckets.id')),
    )
    .execute()

/** Whether nothing keeps what an object was: neither a version of its key nor a snapshot. */
const isKeptByNothing = sql<SqlBool>`not exists (
    select 1 from versions v where v.bucket_id = f.bucket_id and v.key = f.key and v.blob_id = f.blob_id)
  and not ${isInSnapshot('f')}`

/** What a bucket was that ended after a moment, up to and with another one. */
interface Stretch {
  bucketId: string
  after: number
  to: number
}

/** The moment up to which the next of these are so many; undefined if there are fewer. */
export const findStretchEnd = async (db: Db, { bucketId, after, to }: Stretch, many: number) =>
  (
    await db
      .selectFrom('former_objects')
      .select('ended')
      .where('bucket_id', '=', bucketId)
      .where('ended', '>', after)
      .where('ended', '<=', to)
      .orderBy('ended')
      .offset(many - 1)
      .limit(1)
      .executeTakeFirst()
  )?.ended

/** Whether any of these can be deleted: those that are still kept as versions or by snapshots cannot. */
export async function hasDeletable(db: Db, { bucketId, after, to }: Stretch): Promise<boolean> {
  const { rows } = await sql`select 1 from former_objects f
    where f.bucket_id = ${bucketId} and f.ended > ${after} and f.ended <= ${to} and ${isKeptByNothing} limit 1`.execute(
    db as Kysely<Schema>,
  )
  return rows.length > 0
}

/** Deletes the oldest that can be; returns how many, and the moment when the last of them ended. */
export async function deleteEnded(
  tx: Tx,
  { bucketId, after, to }: Stretch,
  limit: number,
): Promise<{ deleted: number; ended: number }> {
  const { rows } = await sql<{ ended: number }>`
    delete from former_objects where bucket_id = ${bucketId} and (key, ended, moment) in (
      select f.key, f.ended, f.moment from former_objects f
      where f.bucket_id = ${bucketId} and f.ended > ${after} and f.ended <= ${to} and ${isKeptByNothing}
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

/** When the last objects under these keys ended, and who ended them. */
export const findEnds = (
  db: Db,
  bucketId: string,
  keys: readonly string[],
): Promise<{ key: string; ended: number; ended_by: number | null }[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('former_objects as f')
        .select(['f.key', 'f.ended', 'f.ended_by'])
        .where('f.bucket_id', '=', bucketId)
        .where('f.key', 'in', keys)
        .where('f.ended', '=', (e) =>
          e
            .selectFrom('former_objects as later')
            .select('later.ended')
            .where('later.bucket_id', '=', bucketId)
            .whereRef('later.key', '=', 'f.key')
            .orderBy('later.ended', 'desc')
            .limit(sql.lit(1)),
        )
        .execute()

export type SnapshotRow = Row<'snapshots'>

/** A bucket's snapshot of a name, or one of a moment. */
export const findSnapshot = (
  db: Db,
  bucketId: string,
  by: { name: string } | { moment: number },
): Promise<SnapshotRow | undefined> => {
  const all = db.selectFrom('snapshots').selectAll().where('bucket_id', '=', bucketId)
  return ('name' in by ? all.where('name', '=', by.name) : all.where('moment', '=', by.moment)).executeTakeFirst()
}
