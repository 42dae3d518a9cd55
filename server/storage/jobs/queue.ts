import { sql } from 'kysely'
import { countUpToMost, type Queue } from '../../db/count.ts'
import type { Db } from '../../db/schema.ts'

/** Counts jobs that are waiting to be claimed and jobs in progress. */
export async function findQueue(db: Db, now: string): Promise<{ queued: Queue; running: number }> {
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
    queued: { count: await countUpToMost(db, sql`jobs where status = 'queued'`), since },
    running: await countUpToMost(db, sql`jobs where status = 'running'`),
  }
}
