// The workers of inventories: what is due is written, what is old is deleted.
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { forgetVersions } from './begin.ts'
import { drainRuns } from './runner.ts'
import * as runStore from './runs/store.ts'
import { startDue } from './service.ts'
import * as store from './store.ts'

const DUE_AT_ONCE = 100
const RUNS_DAYS = 365

/** Queues due inventories, once each however many times were missed, and works on all runs there are. */
export const inventoryWorker = {
  name: 'inventories',
  every: 5000,
  async run(ctx: Ctx): Promise<void> {
    for (const row of await store.findDue(ctx.db, ctx.now(), DUE_AT_ONCE))
      await startDue(ctx, row).catch((error: unknown) => {
        // One that cannot start must not hold up the others.
        ctx.log.error({ err: error, inventory: row.id }, 'could not start an inventory')
      })
    // Not waited for: what is due meanwhile is queued, and a second one written beside a long one.
    ctx.background(() => drainRuns(ctx))
  },
}

/** Deletes runs after a year, and inventories that are deleted or whose bucket is. What they have written stays. */
export const forgetInventories = {
  name: 'inventory-history',
  every: HOUR_MS,
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    const before = (days: number) => new Date(ctx.now().getTime() - days * DAY_MS)
    for (const id of await runStore.findKeeping(ctx.db)) await forgetVersions(ctx, id)
    await ctx.upkeep(({ tx }) => runStore.deleteOldRuns(tx, before(RUNS_DAYS)))
    await ctx.upkeep(({ tx }) => store.deleteGone(tx, before(1)))
  },
}
