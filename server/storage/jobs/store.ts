// The jobs themselves.
import type { ExpressionBuilder } from 'kysely'
import type { Db, NewRow, Row, RowChange, Schema, Tx } from '../../db/schema.ts'

/** Replaces the lists of keys once the job has its items or has finished. */
export const NO_SELECTION = '{}'

/** How many errors are kept of a job. */
export const MOST_ERRORS = 100

/**
 * Without the lists of keys: a job is read at every step, and 10 MB of keys made each read take a tenth of a second.
 */
export type JobRow = Omit<Row<'jobs'>, 'selection'>
export const columns = [
  'id',
  'kind',
  'status',
  'request',
  'actor',
  'created_by',
  'created_by_email',
  'listed_to',
  'listed_at',
  'total',
  'position',
  'done',
  'failed',
  'changed',
  'errors',
  'detail',
  'plan',
  'runner',
  'leased_until',
  'cancel_at',
  'created_at',
  'started_at',
  'finished_at',
] as const

/** Matches unfinished jobs. */
export const isOpen = (e: ExpressionBuilder<Schema, 'jobs'>) => e('status', 'in', ['queued', 'running'])

/** Locks the creator's account, so that their jobs are counted one after another. */
export const lockCreator = (tx: Tx, userId: string) =>
  tx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().executeTakeFirst()

/** Counts a user's unfinished jobs. */
export const countOpen = async (tx: Tx, userId: string): Promise<number> => {
  const { count } = await tx
    .selectFrom('jobs')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('created_by', '=', userId)
    .where(isOpen)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Whether a job that is to release a bucket waits or runs. */
export const hasOpenRelease = async (db: Db, bucket: string): Promise<boolean> =>
  (await db.selectFrom('jobs').select('request').where('kind', '=', 'release').where(isOpen).execute()).some(
    ({ request }) => (JSON.parse(request) as { source_bucket?: string }).source_bucket === bucket,
  )

export const insertJob = (tx: Tx, row: NewRow<'jobs'>) => tx.insertInto('jobs').values(row).execute()

export const findJob = (db: Db, id: string): Promise<JobRow | undefined> =>
  db.selectFrom('jobs').select(columns).where('id', '=', id).executeTakeFirst()

export const findSelection = async (db: Db, id: string): Promise<string | undefined> =>
  (await db.selectFrom('jobs').select('selection').where('id', '=', id).executeTakeFirst())?.selection

/** Which of these jobs moved objects, or deleted objects still in an existing bucket's trash. */
export const findRestorable = async (db: Db, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('jobs')
    .select('jobs.id')
    .where('jobs.id', 'in', ids)
    .where((e) =>
      e.exists(
        e
          .selectFrom('buckets')
          .select('buckets.id')
          .where('buckets.deleted_at', 'is', null)
          // Looks at one item only: a deleted bucket may hold very many for a while.
          .where('buckets.id', '=', (f) =>
            f
              .case()
              .when('jobs.kind', '=', 'move')
              .then(
                f
                  .selectFrom('job_moves')
                  .select('job_moves.bucket_id')
                  .whereRef('job_moves.job_id', '=', 'jobs.id')
                  .orderBy('job_moves.position', 'desc')
                  .limit(1),
              )
              .else(
                f.fn.coalesce(
                  f
                    .selectFrom('trash')
                    .select('trash.bucket_id')
                    .whereRef('trash.job_id', '=', 'jobs.id')
                    // As the index has them: by the id alone, all of a job's items would be read and sorted.
                    .orderBy('trash.bucket_id', 'desc')
                    .orderBy('trash.id', 'desc')
                    .limit(1),
                  f
                    .selectFrom('versions')
                    .select('versions.bucket_id')
                    .whereRef('versions.job_id', '=', 'jobs.id')
                    .limit(1),
                ),
              )
              .end(),
          ),
      ),
    )
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export interface JobFilter {
  /** Null means everyone's. */
  createdBy: string | null
  /** Started with this token. */
  token?: string | undefined
  status: JobRow['status'] | undefined
  before: string | undefined
}

/** Jobs before an id, latest first. */
export function listJobs(db: Db, { createdBy, token, status, before }: JobFilter, limit: number): Promise<JobRow[]> {
  let query = db.selectFrom('jobs').select(columns)
  if (createdBy !== null) query = query.where('created_by', '=', createdBy)
  // In the row's JSON any quotation mark of another text is escaped.
  if (token !== undefined) query = query.where('actor', 'like', `%"token_id":"${token}"%`)
  if (status !== undefined) query = query.where('status', '=', status)
  if (before !== undefined) query = query.where('id', '<', before)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

export const updateJob = (tx: Tx, id: string, change: RowChange<'jobs'>) =>
  tx.updateTable('jobs').set(change).where('id', '=', id).execute()

/** Cancels a job that has not started; false if it has. */
export const cancelQueued = async (tx: Tx, id: string, now: Date): Promise<boolean> =>
  (
    await tx
      .updateTable('jobs')
      .set({
        status: 'cancelled',
        cancel_at: now.toISOString(),
        finished_at: now.toISOString(),
        selection: NO_SELECTION,
      })
      .where('id', '=', id)
      .where('status', '=', 'queued')
      .where('runner', 'is', null)
      .returning('id')
      .execute()
  ).length > 0

/** Requests the cancellation of an unfinished job; false if it has finished. */
export const askToCancel = async (tx: Tx, id: string, now: Date): Promise<boolean> =>
  (
    await tx
      .updateTable('jobs')
      .set({ cancel_at: now.toISOString() })
      .where('id', '=', id)
      .where(isOpen)
      .returning('id')
      .execute()
  ).length > 0

/** Deletes jobs that finished before a time, with their remaining items. */
export const deleteFinished = (tx: Tx, before: Date) =>
  tx.deleteFrom('jobs').where('finished_at', '<', before.toISOString()).execute()
