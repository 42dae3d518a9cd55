import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** The cheapest question a database can be asked. */
export const selectOne = (db: Db) => db.selectNoFrom(sql<number>`1`.as('one')).executeTakeFirstOrThrow()

/** Of queues no more are counted: an index entry each, so that a look costs some milliseconds at the most. */
const MOST = 10_000

export interface Queue {
  count: number
  /** When what has waited longest began to wait; null where nothing does. */
  since: string | null
}

/** How many rows a query gives, up to the most that are counted. */
async function countOf(db: Db, rows: RawBuilder<unknown>): Promise<number> {
  const counted = sql<number>`(select count(*) from (select 1 from ${rows} limit ${MOST}) as counted)`
  return (await db.selectNoFrom(counted.as('count')).executeTakeFirstOrThrow()).count
}

/** Jobs nobody works on, and those that someone does. */
export async function findJobs(db: Db, now: string): Promise<{ queued: Queue; running: number }> {
  const first = await db
    .selectFrom('jobs')
    .select('created_at')
    .where('status', '=', 'queued')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  const lapsed = await db
    .selectFrom('jobs')
    .select((e) => e.fn.min('leased_until').as('since'))
    .where('status', '=', 'running')
    .where('leased_until', '<=', now)
    .executeTakeFirst()
  const since = [first?.created_at, lapsed?.since].filter((one) => one !== undefined && one !== null).sort()[0] ?? null
  return {
    queued: { count: await countOf(db, sql`jobs where status = 'queued'`), since },
    running: await countOf(db, sql`jobs where status = 'running'`),
  }
}

/** Runs of policies that are not over: at most one for each policy. */
export async function findPolicyRuns(db: Db, now: string): Promise<{ waiting: Queue; running: number }> {
  const open = db.selectFrom('policy_runs').where('finished_at', 'is', null)
  const free = open.where((e) => e.or([e('leased_until', 'is', null), e('leased_until', '<=', now)]))
  const { waiting, since } = await free
    .select((e) => [sql<number>`count(*)`.as('waiting'), e.fn.min('created_at').as('since')])
    .executeTakeFirstOrThrow()
  const { all } = await open.select(sql<number>`count(*)`.as('all')).executeTakeFirstOrThrow()
  return { waiting: { count: waiting, since }, running: all - waiting }
}

/** Audit records that the chain does not hold yet. */
export async function findUnsealed(db: Db): Promise<Queue> {
  const first = await db.selectFrom('audit_recent').select('time').orderBy('id').limit(1).executeTakeFirst()
  return { count: await countOf(db, sql`audit_recent`), since: first?.time ?? null }
}

/** What the collector has before it. */
export const findCollectable = async (db: Db, now: string): Promise<{ check: number; removal: number }> => ({
  check: await countOf(db, sql`blobs where check_after is not null and check_after <= ${now}`),
  removal: await countOf(db, sql`blob_removals`),
})

/** Uploads in parts are open as long as they hold a blob: there is an index on that. */
export const countOpenUploads = (db: Db): Promise<number> => countOf(db, sql`uploads where blob_id is not null`)
