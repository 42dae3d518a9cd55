import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Db, Row, Schema, Tx } from '../db/schema.ts'

/** The columns of a row that one process at a time works on. */
interface LeaseColumns {
  id: string
  status: 'queued' | 'running' | (string & {})
  /** Names the claim of the process working on it; null if none is. */
  runner: string | null
  leased_until: string | null
  started_at: string | null
}
/** The tables that have these columns. */
export type LeasedTable = { [T in keyof Schema]: Row<T> extends LeaseColumns ? T : never }[keyof Schema]

export interface Leased {
  table: LeasedTable
  /** The columns read of a row. */
  columns: readonly (keyof Row<LeasedTable>)[]
  /** Whether a row still needs work; must be answerable by an index. */
  isOpen: (e: ExpressionBuilder<Schema, LeasedTable>) => Expression<SqlBool>
}
/** A claim on one row. */
export interface Claim {
  readonly id: string
  readonly runner: string
}

export interface LeaseTimes {
  now: Date
  /** When the claim expires unless renewed. */
  until: Date
  /** A lease beyond this came from a fast clock and is ignored. */
  farthest: Date
}

/**
 * Claims the oldest open row that no process has claimed. The update checks the row again, so only one claim succeeds.
 */
export function claimOldest(tx: Tx, { table, columns, isOpen }: Leased, runner: string, times: LeaseTimes) {
  const [now, until, farthest] = [times.now.toISOString(), times.until.toISOString(), times.farthest.toISOString()]
  const isFree = (e: ExpressionBuilder<Schema, LeasedTable>) =>
    e.and([
      isOpen(e),
      e.or([e('leased_until', 'is', null), e('leased_until', '<=', now), e('leased_until', '>', farthest)]),
    ])
  return tx
    .updateTable(table)
    .set((e) => ({
      runner,
      leased_until: until,
      status: 'running' as const,
      started_at: e.fn.coalesce('started_at', e.val(now)),
    }))
    .where('id', '=', (e) => e.selectFrom(table).select('id').where(isFree).orderBy('id').limit(1))
    .where(isFree)
    .returning(columns)
    .executeTakeFirst()
}

/** The columns of an unclaimed row; part of the change that finishes it. */
export const unclaimed = { runner: null, leased_until: null }

const claimed = (db: Db, { table, columns }: Leased, { id, runner }: Claim) =>
  db.selectFrom(table).select(columns).where('id', '=', id).where('runner', '=', runner)

/** The row, if the claim still holds. */
export const findClaimed = (db: Db, leased: Leased, claim: Claim) => claimed(db, leased, claim).executeTakeFirst()

/** Like `findClaimed`, locked. */
export const lockClaimed = (tx: Tx, leased: Leased, claim: Claim) =>
  claimed(tx, leased, claim).forUpdate().executeTakeFirst()

/** Releases the row, so that the next process can claim it at once. */
export const releaseClaimed = (tx: Tx, { table }: Leased, { id, runner }: Claim) =>
  tx.updateTable(table).set(unclaimed).where('id', '=', id).where('runner', '=', runner).execute()
