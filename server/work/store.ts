import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Db, Row, Schema, Tx } from '../db/schema.ts'

/** The columns of a row that one process at a time works on. */
interface LeaseColumns {
  id: string
  status: 'queued' | 'running' | (string & {})
  /** Names the claim of the process that works on it; null while none does. */
  runner: string | null
  leased_until: string | null
  started_at: string | null
}
/** The tables that have them. */
export type LeasedTable = { [T in keyof Schema]: Row<T> extends LeaseColumns ? T : never }[keyof Schema]

export interface Leased {
  table: LeasedTable
  /** What is read of a row. */
  columns: readonly (keyof Row<LeasedTable>)[]
  /** Whether a row still needs work. An index has to answer it. */
  isOpen: (e: ExpressionBuilder<Schema, LeasedTable>) => Expression<SqlBool>
}
/** The claim of one row. */
export interface Claim {
  readonly id: string
  readonly runner: string
}

export interface LeaseTimes {
  now: Date
  /** When the claim ends unless it is renewed. */
  until: Date
  /** A lease that ends later than this was made by a clock that has been put right since. */
  farthest: Date
}

/** Claims the oldest open row that nobody works on. The row is checked again as it is changed, so one claim succeeds. */
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

/** The columns of a row that nobody works on: part of the change that ends it. */
export const unclaimed = { runner: null, leased_until: null }

const claimed = (db: Db, { table, columns }: Leased, { id, runner }: Claim) =>
  db.selectFrom(table).select(columns).where('id', '=', id).where('runner', '=', runner)

/** The row, if the claim still holds. */
export const findClaimed = (db: Db, leased: Leased, claim: Claim) => claimed(db, leased, claim).executeTakeFirst()

/** The same, locked. */
export const lockClaimed = (tx: Tx, leased: Leased, claim: Claim) =>
  claimed(tx, leased, claim).forUpdate().executeTakeFirst()

/** Gives the row up: the next process may claim it at once. */
export const releaseClaimed = (tx: Tx, { table }: Leased, { id, runner }: Claim) =>
  tx.updateTable(table).set(unclaimed).where('id', '=', id).where('runner', '=', runner).execute()
