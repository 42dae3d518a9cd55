import { type RawBuilder, sql } from 'kysely'
import type { Db } from './schema.ts'

/** Queues are counted no further: an index entry each, so that a look costs a few milliseconds at most. */
const MOST = 10_000

export interface Queue {
  count: number
  /** When the entry that has waited longest started to wait; null when there is none. */
  since: string | null
}

/** How many rows `<rows>` of `select 1 from <rows>` gives, up to 10,000. */
export async function countUpToMost(db: Db, rows: RawBuilder<unknown>): Promise<number> {
  const counted = sql<number>`(select count(*) from (select 1 from ${rows} limit ${MOST}) as counted)`
  return (await db.selectNoFrom(counted.as('count')).executeTakeFirstOrThrow()).count
}
