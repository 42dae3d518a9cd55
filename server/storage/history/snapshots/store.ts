// Snapshots of buckets, and the contents that only they keep.
import { type SqlBool, sql } from 'kysely'
import { isInSnapshot } from '../../../blobs/history/store.ts'
import type { Db, NewRow, Row, Tx } from '../../../db/schema.ts'
import type { SnapshotRow } from '../former/store.ts'

/** Returns false if the bucket has a snapshot of that name. */
export const insertSnapshot = async (tx: Tx, row: NewRow<'snapshots'>): Promise<boolean> =>
  (
    await tx
      .insertInto('snapshots')
      .values(row)
      .onConflict((conflict) => conflict.columns(['bucket_id', 'name']).doNothing())
      .returning('id')
      .execute()
  ).length > 0

export const countSnapshots = async (db: Db, bucketId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('snapshots')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('bucket_id', '=', bucketId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A bucket's snapshots, the latest moment first, after one of the previous page. */
export const listSnapshots = (
  db: Db,
  bucketId: string,
  { after, limit }: { after: { moment: number; id: string } | undefined; limit: number },
): Promise<SnapshotRow[]> => {
  const all = db.selectFrom('snapshots').selectAll().where('bucket_id', '=', bucketId).where('name', 'not like', '~%')
  const rest = after ? all.where((e) => e(e.refTuple('moment', 'id'), '<', e.tuple(after.moment, after.id))) : all
  return rest.orderBy('moment', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

/** Where an item is in the trash, the oldest first. */
export type TrashPlace = Pick<Row<'trash'>, 'deleted_at' | 'id'>

/** The next items of a bucket's trash, and whether only snapshots of it will have their contents after the trash has gone. */
export const findTrashOfSnapshots = (
  db: Db,
  bucketId: string,
  { after, limit }: { after: TrashPlace | undefined; limit: number },
) => {
  const all = db.selectFrom('trash as t').where('t.bucket_id', '=', bucketId)
  const rest = after
    ? all.where((e) => e(e.refTuple('t.deleted_at', 't.id'), '>', e.tuple(after.deleted_at, after.id)))
    : all
  return rest
    .select(['t.id', 't.deleted_at', 't.blob_id', 't.size'])
    .select(
      sql<number>`case when exists (select 1 from former_objects f
          where f.blob_id = t.blob_id and f.bucket_id = t.bucket_id and ${isInSnapshot('f')})
        and not exists (select 1 from objects o where o.blob_id = t.blob_id)
        and not exists (select 1 from versions v where v.blob_id = t.blob_id) then 1 else 0 end`.as('is_kept'),
    )
    .orderBy('t.deleted_at')
    .orderBy('t.id')
    .limit(limit)
    .execute()
}

/** The snapshots that a policy has taken of a bucket, but for so many of the newest. */
export const findBeyond = (
  db: Db,
  bucketId: string,
  { policy_id, keep }: { policy_id: string; keep: number },
): Promise<SnapshotRow[]> =>
  db
    .selectFrom('snapshots')
    .selectAll()
    .where('policy_id', '=', policy_id)
    .where('bucket_id', '=', bucketId)
    .orderBy('moment', 'desc')
    .orderBy('id', 'desc')
    .offset(keep)
    .limit(1000)
    .execute()

/** Snapshots that were to end by now, with their buckets, which may be deleted. */
export const findExpired = (db: Db, now: Date) =>
  db
    .selectFrom('snapshots')
    .innerJoin('buckets', 'buckets.id', 'snapshots.bucket_id')
    .select(['snapshots.id', 'bucket_id', 'buckets.name as bucket'])
    .where('expires_at', '<=', now.toISOString())
    .orderBy('expires_at')
    .limit(1000)
    .execute()

/** Deletes a snapshot, and has what only it kept released; undefined if there is none. */
export async function deleteSnapshot(
  tx: Tx,
  bucketId: string,
  by: { name: string } | { id: string },
  now: Date,
): Promise<SnapshotRow | undefined> {
  const all = tx.deleteFrom('snapshots').where('bucket_id', '=', bucketId)
  const deleted = await ('name' in by ? all.where('name', '=', by.name) : all.where('id', '=', by.id))
    .returningAll()
    .executeTakeFirst()
  const ended_at = now.toISOString()
  if (deleted)
    await tx
      .insertInto('ended_snapshots')
      .values({ bucket_id: bucketId, ended_at })
      .onConflict((conflict) => conflict.column('bucket_id').doUpdateSet({ ended_at }))
      .execute()
  return deleted
}

/** Buckets of which a snapshot has ended. */
export const findEnded = (db: Db): Promise<Row<'ended_snapshots'>[]> =>
  db.selectFrom('ended_snapshots').selectAll().execute()

/** Notes that what only that snapshot kept is released, unless another one has ended since. */
export const forgetEnded = (tx: Tx, { bucket_id, ended_at }: Row<'ended_snapshots'>) =>
  tx.deleteFrom('ended_snapshots').where('bucket_id', '=', bucket_id).where('ended_at', '=', ended_at).execute()

/** Deletes the next contents, in the order of blobs, that no snapshot of the bucket keeps any more. */
export const deleteUnkept = (
  tx: Tx,
  bucketId: string,
  { after, limit }: { after: string; limit: number },
): Promise<Row<'history_contents'>[]> =>
  tx
    .deleteFrom('history_contents')
    .where('bucket_id', '=', bucketId)
    .where('blob_id', 'in', (e) =>
      e
        .selectFrom('history_contents as h')
        .select('h.blob_id')
        .where('h.bucket_id', '=', bucketId)
        .where('h.blob_id', '>', after)
        .where(sql<SqlBool>`not exists (select 1 from former_objects f
          where f.blob_id = h.blob_id and f.bucket_id = h.bucket_id and ${isInSnapshot('f')})`)
        .orderBy('h.blob_id')
        .limit(limit),
    )
    .returningAll()
    .execute()
