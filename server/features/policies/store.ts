import { type ExpressionBuilder, sql } from 'kysely'
import type { Queue } from '../../db/count.ts'
import type { Db, NewRow, Row, RowChange, Schema, Tx } from '../../db/schema.ts'

export type PolicyRow = Row<'policies'>
export type RunRow = Row<'policy_runs'>

// ---- Policies --------------------------------------------------------------------------------------------------

export const insertPolicy = (tx: Tx, row: NewRow<'policies'>) => tx.insertInto('policies').values(row).execute()

export const updatePolicy = (tx: Tx, id: string, change: RowChange<'policies'>) =>
  tx.updateTable('policies').set(change).where('id', '=', id).execute()

const live = (db: Db) => db.selectFrom('policies').selectAll().where('deleted_at', 'is', null)

export const findPolicy = (db: Db, id: string): Promise<PolicyRow | undefined> =>
  live(db).where('id', '=', id).executeTakeFirst()

export const lockPolicy = (tx: Tx, id: string): Promise<PolicyRow | undefined> =>
  live(tx).where('id', '=', id).forUpdate().executeTakeFirst()

/** Policies before an id, latest first. */
export function listPolicies(db: Db, before: string | undefined, limit: number): Promise<PolicyRow[]> {
  const query = before === undefined ? live(db) : live(db).where('id', '<', before)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** Those that carry out no lifecycle rule, in the order of their names; all, or those of one name. */
export function listOwn(db: Db, name?: string): Promise<PolicyRow[]> {
  const own = live(db).where('lifecycle_rule', 'is', null)
  return (name === undefined ? own : own.where('name', '=', name)).orderBy('name').orderBy('id').execute()
}

/** Locks a bucket's lifecycle policies. */
export const lockLifecycle = (tx: Tx, bucketId: string): Promise<PolicyRow[]> =>
  live(tx).where('bucket_id', '=', bucketId).orderBy('id').forUpdate().execute()

/** Lifecycle policies whose bucket is gone. */
export const findOrphans = (db: Db, limit: number): Promise<PolicyRow[]> =>
  live(db)
    .where('bucket_id', 'is not', null)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('buckets')
            .select('buckets.id')
            .whereRef('buckets.id', '=', 'policies.bucket_id')
            .where('buckets.deleted_at', 'is', null),
        ),
      ),
    )
    .limit(limit)
    .execute()

/** Policies that are due and not running, longest overdue first. */
export const findDue = (db: Db, now: Date, limit: number): Promise<PolicyRow[]> =>
  live(db)
    .where('next_run_at', '<=', now.toISOString())
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('policy_runs')
            .select('policy_runs.id')
            .whereRef('policy_runs.policy_id', '=', 'policies.id')
            .where('finished_at', 'is', null),
        ),
      ),
    )
    .orderBy('next_run_at')
    .limit(limit)
    .execute()

/** Sets the next time if it is still the one we read; false if another process was first. */
export const moveOn = async (tx: Tx, { id, next_run_at, revision }: PolicyRow, next: string | null): Promise<boolean> =>
  (
    await tx
      .updateTable('policies')
      .set({ next_run_at: next })
      .where('id', '=', id)
      .where('revision', '=', revision)
      .where('next_run_at', '=', next_run_at)
      .where('deleted_at', 'is', null)
      .returning('id')
      .execute()
  ).length > 0

// ---- Runs ------------------------------------------------------------------------------------------------------

export const runColumns = [
  'id',
  'policy_id',
  'kind',
  'of_run',
  'trigger',
  'status',
  'reason',
  'rule',
  'revision',
  'author_id',
  'author_email',
  'requester',
  'cutoff',
  'scheduled_for',
  'examined',
  'matched',
  'matched_bytes',
  'listed_at',
  'position',
  'deleted',
  'deleted_bytes',
  'kept',
  'sample',
  'errors',
  'runner',
  'leased_until',
  'cancel_at',
  'created_at',
  'started_at',
  'finished_at',
  'forgotten_at',
] as const satisfies readonly (keyof RunRow)[]

/** Matches unfinished runs. */
export const isOpen = (e: ExpressionBuilder<Schema, 'policy_runs'>) => e('finished_at', 'is', null)

/** Returns false while another run of the policy is unfinished. */
export const insertRun = async (tx: Tx, row: NewRow<'policy_runs'>): Promise<boolean> =>
  (
    await tx
      .insertInto('policy_runs')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute()
  ).length > 0

export const findRun = (db: Db, policyId: string, id: string): Promise<RunRow | undefined> =>
  db.selectFrom('policy_runs').selectAll().where('policy_id', '=', policyId).where('id', '=', id).executeTakeFirst()

/** How many objects were in a run's scope. */
export const findExamined = async (db: Db, id: string): Promise<number> =>
  (await db.selectFrom('policy_runs').select('examined').where('id', '=', id).executeTakeFirst())?.examined ?? 0

/** A policy's runs before an id, latest first. */
export function listRuns(db: Db, policyId: string, before: string | undefined, limit: number): Promise<RunRow[]> {
  let query = db.selectFrom('policy_runs').selectAll().where('policy_id', '=', policyId)
  if (before !== undefined) query = query.where('id', '<', before)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** Each policy's latest finished run that was not a dry run. */
export async function findLastRuns(db: Db, policyIds: readonly string[]): Promise<Map<string, RunRow>> {
  if (policyIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('policy_runs')
    .selectAll()
    .where('id', 'in', (e) =>
      e
        .selectFrom('policy_runs as r')
        .select((f) => f.fn.max('r.id').as('id'))
        .where('r.policy_id', 'in', policyIds)
        .where('r.kind', '=', 'live')
        .where('r.finished_at', 'is not', null)
        .groupBy('r.policy_id'),
    )
    .execute()
  return new Map(rows.map((row) => [row.policy_id, row]))
}

/** Locks a policy's unfinished run. */
export const lockActiveRun = (tx: Tx, policyId: string): Promise<RunRow | undefined> =>
  tx
    .selectFrom('policy_runs')
    .selectAll()
    .where('policy_id', '=', policyId)
    .where('finished_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()

export const updateRun = (tx: Tx, id: string, change: RowChange<'policy_runs'>) =>
  tx.updateTable('policy_runs').set(change).where('id', '=', id).execute()

/** Requests the cancellation of an unfinished run. */
export const askToCancel = (tx: Tx, id: string, now: Date) =>
  tx
    .updateTable('policy_runs')
    .set({ cancel_at: now.toISOString() })
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .where('cancel_at', 'is', null)
    .execute()

/** Runs whose items can be deleted: they finished before a time, or their policy is deleted. */
export const findForgettable = (db: Db, before: Date, limit: number) =>
  db
    .selectFrom('policy_runs')
    .innerJoin('policies', 'policies.id', 'policy_runs.policy_id')
    .select('policy_runs.id')
    .where('forgotten_at', 'is', null)
    .where('finished_at', 'is not', null)
    .where((e) => e.or([e('finished_at', '<', before.toISOString()), e('deleted_at', 'is not', null)]))
    .limit(limit)
    .execute()

/** Deletes runs without items that finished before a time or whose policy is deleted, and then such policies. */
export async function deleteForgotten(tx: Tx, before: Date): Promise<void> {
  await tx
    .deleteFrom('policy_runs')
    .where('forgotten_at', 'is not', null)
    .where((e) =>
      e.or([
        e('finished_at', '<', before.toISOString()),
        e('policy_id', 'in', e.selectFrom('policies').select('policies.id').where('deleted_at', 'is not', null)),
      ]),
    )
    .execute()
  await tx
    .deleteFrom('policies')
    .where('deleted_at', 'is not', null)
    .where('id', 'not in', (e) => e.selectFrom('policy_runs').select('policy_id'))
    .execute()
}

/** Counts unfinished policy runs, at most one per policy. */
export async function findQueue(db: Db, now: string): Promise<{ waiting: Queue; running: number }> {
  const open = db.selectFrom('policy_runs').where('finished_at', 'is', null)
  const free = open.where((e) => e.or([e('leased_until', 'is', null), e('leased_until', '<=', now)]))
  const { waiting, since } = await free
    .select((e) => [sql<number>`count(*)`.as('waiting'), e.fn.min('created_at').as('since')])
    .executeTakeFirstOrThrow()
  const { all } = await open.select(sql<number>`count(*)`.as('all')).executeTakeFirstOrThrow()
  return { waiting: { count: waiting, since }, running: all - waiting }
}
