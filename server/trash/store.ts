import type { KeyRange } from '../../contract/permissions.ts'
import type { Db, NewRow, Row, Tx } from '../db/schema.ts'

export type TrashRow = Row<'trash'>

export const insertTrash = (tx: Tx, rows: readonly NewRow<'trash'>[]) => tx.insertInto('trash').values(rows).execute()

/** Items of the ranges, latest first, after the position of the page before. */
export function listTrash(
  db: Db,
  bucketId: string,
  ranges: readonly KeyRange[],
  after: { deleted_at: string; id: string } | undefined,
  limit: number,
): Promise<TrashRow[]> {
  let query = db
    .selectFrom('trash')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where((e) =>
      e.or(
        ranges.map(({ from, to }) =>
          to === null ? e('key', '>=', from) : e.and([e('key', '>=', from), e('key', '<', to)]),
        ),
      ),
    )
  if (after)
    query = query.where((e) =>
      e.or([
        e('deleted_at', '<', after.deleted_at),
        e.and([e('deleted_at', '=', after.deleted_at), e('id', '<', after.id)]),
      ]),
    )
  return query.orderBy('deleted_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

export const lockTrash = (tx: Tx, bucketId: string, ids: readonly string[]): Promise<TrashRow[]> =>
  tx
    .selectFrom('trash')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()

/** The oldest items of a bucket that were deleted before a time (null: any), locked. */
export function lockOldest(tx: Tx, bucketId: string, before: string | null, limit: number): Promise<TrashRow[]> {
  const query = tx.selectFrom('trash').selectAll().where('bucket_id', '=', bucketId)
  return (before === null ? query : query.where('deleted_at', '<=', before))
    .orderBy('deleted_at')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
}

export const deleteTrash = (tx: Tx, ids: readonly string[]) => tx.deleteFrom('trash').where('id', 'in', ids).execute()

/** Every bucket whose trash may hold something to destroy. */
export const findBucketsWithTrash = (db: Db) =>
  db
    .selectFrom('buckets')
    .select(['id', 'name', 'trash_days', 'deleted_at'])
    .where((e) => e.exists(e.selectFrom('trash').select('trash.id').whereRef('trash.bucket_id', '=', 'buckets.id')))
    .execute()
