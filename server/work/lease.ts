import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely'
import { newId } from '../base/id.ts'
import { MINUTE_MS } from '../base/time.ts'
import type { Ctx, Upkeep } from '../context.ts'
import type { Db, Row, Schema, Tx } from '../db/schema.ts'
import * as store from './store.ts'

export type { Claim } from './store.ts'

/** Milliseconds that a claim lasts unless it is renewed. */
const LEASE_MS = MINUTE_MS
/** More than the clocks of replicas may differ by. */
const FARTHEST_LEASE_MS = 10 * MINUTE_MS

/** Another process has taken the work over, or it is gone. */
export class LeaseLost extends Error {
  constructor() {
    super('The claim of this work does not hold any more')
  }
}

/** Claims of a table's rows. A claim is renewed with the progress that is written: see `renewed`. */
export interface Lease<R> {
  /** Claims the oldest open row that nobody works on; undefined when there is none. */
  claim(ctx: Ctx): Promise<{ row: R; claim: store.Claim } | undefined>
  /** The claimed row as it is now; throws LeaseLost. */
  find(db: Db, claim: store.Claim): Promise<R>
  /** Step: the same, locked until the end of the transaction, so that nobody takes it over meanwhile. */
  hold(tx: Tx, claim: store.Claim): Promise<R>
  /** Gives the work up where it is: the process ends, another may go on at once. */
  release(ctx: Ctx, claim: store.Claim): Promise<void>
}

/**
 * Leases on the rows of a table that has the columns for it. `columns` are read of a row, `isOpen` says whether it still
 * needs work and has to be what an index answers.
 */
export function leaseOn<T extends store.LeasedTable, C extends keyof Row<T> & string>(options: {
  table: T
  columns: readonly C[]
  isOpen: (e: ExpressionBuilder<Schema, T>) => ExpressionWrapper<Schema, T, SqlBool>
}): Lease<Pick<Row<T>, C>> {
  type R = Pick<Row<T>, C>
  // The statements name only columns that all these tables have; what they give back is of this one.
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

/** The columns that renew a claim: they are part of every change a step writes to its row. */
export const renewed = ({ now }: Pick<Upkeep, 'now'>) => ({ leased_until: after(now(), LEASE_MS).toISOString() })
