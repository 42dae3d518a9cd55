// The workers of policies: what is due is run, what is old is deleted.
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import * as itemStore from './items.ts'
import { deleteOrphans } from './lifecycle.ts'
import { nextRun } from './moment.ts'
import { drainRuns } from './runner.ts'
import { newRun } from './start-and-cancel.ts'
import * as store from './store.ts'

const DUE_AT_ONCE = 100

/** Starts due runs, once each however many times were missed, and works on all runs there are. */
export const policyWorker = {
  name: 'policies',
  every: 2000,
  async run(ctx: Ctx): Promise<void> {
    const now = ctx.now()
    await deleteOrphans(ctx)
    for (const policy of await store.findDue(ctx.db, now, DUE_AT_ONCE)) {
      try {
        const next = nextRun(ctx, policy, now)
        await ctx.upkeep(async ({ tx, nothing }) => {
          // Another process was first, or another run is unfinished.
          if (!(await store.moveOn(tx, policy, next?.toISOString() ?? null))) return nothing(undefined)
          const more = { trigger: 'schedule' as const, scheduled_for: policy.next_run_at }
          return (await store.insertRun(tx, newRun(ctx, policy, more))) ? undefined : nothing(undefined)
        })
      } catch (error) {
        // A policy whose run cannot start must not hold up the others.
        ctx.log.error({ err: error, policy: policy.id }, 'could not start a policy run')
      }
    }
    await drainRuns(ctx)
  },
}

const ITEMS_DAYS = 30
const RUNS_DAYS = 365
const CLEARED_AT_ONCE = 5000

/** Deletes matched items after a month, runs after a year, and what deleted policies left. */
export const forgetRuns = {
  name: 'policy-history',
  every: HOUR_MS,
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    const before = (days: number) => new Date(ctx.now().getTime() - days * DAY_MS)
    for (const { id } of await store.findForgettable(ctx.db, before(ITEMS_DAYS), DUE_AT_ONCE)) {
      while (
        !ctx.stopping.aborted &&
        (await ctx.upkeep(({ tx }) => itemStore.deleteItems(tx, id, CLEARED_AT_ONCE))) === CLEARED_AT_ONCE
      );
      if (ctx.stopping.aborted) return
      await ctx.upkeep(({ tx }) => store.updateRun(tx, id, { forgotten_at: ctx.now().toISOString() }))
    }
    await ctx.upkeep(({ tx }) => store.deleteForgotten(tx, before(RUNS_DAYS)))
  },
}
