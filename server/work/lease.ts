import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely'
import { newId } from '../base/id.ts'
import { MINUTE_MS } from '../base/time.ts'
import type { Ctx, Upkeep } from '../context.ts'
import type { Db, Row, Schema, Tx } from '../db/schema.ts'
import * as store from './store.ts'

export type { Claim } from './store.ts'

/** Milliseconds that a claim lasts unless renewed. */
const LEASE_MS = MINUTE_MS
/** More than replicas' clocks may differ by. */
const FARTHEST_LEASE_MS = 10 * MINUTE_MS

/** Another process has taken over the work, or it was deleted. */
export class LeaseLost extends Error {
  constructor() {
    super('The lease on this work was lost')
  }
}

/** Claims on a table's rows. A claim is renewed with each write of progress: see `renewed`. */
export interface Lease<R> {
  /** Claims the oldest open row that no process has claimed; undefined if there is none. */
  claim(ctx: Ctx): Promise<{ row: R; claim: store.Claim } | undefined>
  /** The claimed row's current state; throws LeaseLost. */
  find(db: Db, claim: store.Claim): Promise<R>
  /** Step: like `find`, locked until the transaction ends, so that no other process takes it over meanwhile. */
  hold(tx: Tx, claim: store.Claim): Promise<R>
  /** Releases the work where it is when the process stops, so that another can continue at once. */
  release(ctx: Ctx, claim: store.Claim): Promise<void>
}

/**
 * Leases on the rows of a table with the lease columns. `columns` are read of each row; `isOpen` says whether a row
 * still needs work, and must be answerable by an index.
 */
export function leaseOn<T extends store.LeasedTable, C extends keyof Row<T> & string>(options: {
  table: T
  columns: readonly C[]
  isOpen: (e: ExpressionBuilder<Schema, T>) => ExpressionWrapper<Schema, T, SqlBool>
}): Lease<Pick<Row<T>, C>> {
  type R = Pick<Row<T>, C>
  // The statements use only columns that all these tables have; the rows returned are this table's.
  const leased = options as unknown as store.Leased
  const heldOr = (row: unknown): R => {
    if (!row) throw new LeaseLost()
    return row as R
  }
  return {
    async claim(ctx) {
      const now = ctx.now()
      const [until, farthest] = [after(now, LEASE_MS), after(now, FARTHEST_LEASE_MS)]
      const runner = newId()
      const { row } = await ctx.upkeep(async ({ tx }) => ({
        row: await store.claimOldest(tx, leased, runner, { now, until, farthest }),
      }))
      return row && { row: row as unknown as R, claim: { id: row.id, runner } }
    },
    find: async (db, claim) => heldOr(await store.findClaimed(db, leased, claim)),
    hold: async (tx, claim) => heldOr(await store.lockClaimed(tx, leased, claim)),
    release: async (ctx, claim) => void (await ctx.upkeep(({ tx }) => store.releaseClaimed(tx, leased, claim))),
  }
}

const after = (now: Date, ms: number): Date => new Date(now.getTime() + ms)

/** The columns that renew a claim, part of every change that a step makes to its row. */
export const renewed = ({ now }: Pick<Upkeep, 'now'>) => ({ leased_until: after(now(), LEASE_MS).toISOString() })
