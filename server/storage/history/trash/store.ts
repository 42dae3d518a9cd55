import type { KeyRange } from '../../../../contract/permissions.ts'
import { prepared } from '../../../db/prepare.ts'
import type { Db, NewRow, Row, Tx } from '../../../db/schema.ts'
import { isFree } from '../../locks/store.ts'

export type TrashRow = Row<'trash'>

export const insertTrash = (tx: Tx, rows: readonly NewRow<'trash'>[]) => insert(tx, { rows })
const insert = prepared(
  (tx: Tx, { rows }: { rows: readonly NewRow<'trash'>[] }) => tx.insertInto('trash').values(rows),
  { blind: true },
)

/** Items in the ranges, latest first, after the previous page's position. */
export function listTrash(
  db: Db,
  bucketId: string,
  ranges: readonly KeyRange[],
  { after, limit }: { after: { deleted_at: string; id: string } | undefined; limit: number },
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
  if (after) query = query.where((e) => e(e.refTuple('deleted_at', 'id'), '<', e.tuple(after.deleted_at, after.id)))
  return query.orderBy('deleted_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

/**
 * Locks the items that belong to the bucket. Queries by id alone, since the bucket's index would be read to its end.
 */
export const lockTrash = async (tx: Tx, bucketId: string, ids: readonly string[]): Promise<TrashRow[]> => {
  const rows = await tx.selectFrom('trash').selectAll().where('id', 'in', ids).orderBy('id').forUpdate().execute()
  return rows.filter(({ bucket_id }) => bucket_id === bucketId)
}

/**
 * Ids of the deletions of a job or policy run in a bucket, in order, after an id. Written as one range of the index: with
 * an equality, a planner that knows little about the job yet expects few rows, and reads and sorts all of them for every
 * page.
 */
export const listDeleted = async (
  db: Db,
  { by, bucketId, after, limit }: { by: string; bucketId: string; after: string; limit: number },
): Promise<string[]> => {
  const rows = await db
    .selectFrom('trash')
    .select('id')
    .where((e) => e(e.refTuple('job_id', 'bucket_id', 'id'), '>', e.tuple(by, bucketId, after)))
    .where((e) => e(e.refTuple('job_id', 'bucket_id'), '<=', e.tuple(by, bucketId)))
    .orderBy('job_id')
    .orderBy('bucket_id')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export const countDeleted = async (db: Db, { by, bucketId }: { by: string; bucketId: string }): Promise<number> => {
  const { count } = await db
    .selectFrom('trash')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('job_id', '=', by)
    .where('bucket_id', '=', bucketId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Locks a bucket's oldest items deleted before a time (null: any) that are not on legal hold and whose lock, if they had
 * one, is over or, if `governed`, one of mode `governance`, which did not count when they were removed.
 */
export function lockOldest(
  tx: Tx,
  bucketId: string,
  { before, endedBy, governed }: { before: string | null; endedBy: string | null; governed: boolean },
  limit: number,
): Promise<TrashRow[]> {
  const query = tx
    .selectFrom('trash')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('legal_hold', 'is', null)
    .where((e) => e.or([isFree(e, { endedBy }), ...(governed ? [e('lock_mode', '=', 'governance')] : [])]))
  return (before === null ? query : query.where('deleted_at', '<=', before))
    .orderBy('deleted_at')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
}

export const deleteTrash = (tx: Tx, ids: readonly string[]) => tx.deleteFrom('trash').where('id', 'in', ids).execute()

/** Every bucket whose trash may hold something to delete. */
export const findBucketsWithTrash = (db: Db) =>
  db
    .selectFrom('buckets')
    .select('id')
    .where((e) => e.exists(e.selectFrom('trash').select('trash.id').whereRef('trash.bucket_id', '=', 'buckets.id')))
    .execute()
