// The objects that jobs listed and have not yet acted on, and what they moved.
import type { Db, NewRow, Row, Tx } from '../../../db/schema.ts'

export type Item = Row<'job_items'>

export const insertItems = async (tx: Tx, rows: readonly NewRow<'job_items'>[]): Promise<void> => {
  if (rows.length > 0) await tx.insertInto('job_items').values(rows).execute()
}

/** Items after a position, in order. */
export const listItems = (tx: Tx, jobId: string, after: number, limit: number): Promise<Item[]> =>
  tx
    .selectFrom('job_items')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute()

export const deleteItems = (tx: Tx, jobId: string, upTo: number) =>
  tx.deleteFrom('job_items').where('job_id', '=', jobId).where('position', '<=', upTo).execute()

export type Move = Row<'job_moves'>

export const insertMoves = (tx: Tx, rows: readonly Move[]) => tx.insertInto('job_moves').values(rows).execute()

/** Locks what a job moved before a position (null: all), latest first. */
export function lockMoves(tx: Tx, jobId: string, before: number | null, limit: number): Promise<Move[]> {
  const query = tx.selectFrom('job_moves').selectAll().where('job_id', '=', jobId)
  return (before === null ? query : query.where('position', '<', before))
    .orderBy('position', 'desc')
    .limit(limit)
    .forUpdate()
    .execute()
}

export const countMoves = async (db: Db, jobId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('job_moves')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const deleteMoves = (tx: Tx, jobId: string, positions: readonly number[]) =>
  tx.deleteFrom('job_moves').where('job_id', '=', jobId).where('position', 'in', positions).execute()

/** Deletes some moves of one job that finished before a time; false when none is left. */
export async function deleteOldMoves(tx: Tx, before: Date, limit: number): Promise<boolean> {
  const job = await tx
    .selectFrom('jobs')
    .select('id')
    .where('kind', '=', 'move')
    .where('finished_at', '<', before.toISOString())
    .where((e) => e.exists(e.selectFrom('job_moves').select('position').whereRef('job_id', '=', 'jobs.id')))
    .limit(1)
    .executeTakeFirst()
  if (!job) return false
  const moves = tx.selectFrom('job_moves').select('position').where('job_id', '=', job.id)
  const first = await moves
    .orderBy('position', 'desc')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst()
  await tx
    .deleteFrom('job_moves')
    .where('job_id', '=', job.id)
    .where('position', '>=', first?.position ?? 0)
    .execute()
  return true
}
