// The course of a policy's run: list what matches, delete what was listed, finish.
import { systemActor } from '../../access/actors.ts'
import type { Ctx } from '../../context.ts'
import { type Claim, LeaseLost } from '../../work/lease.ts'
import { drain } from '../../work/steps.ts'
import { deleteNext } from './delete-matches.ts'
import { type Ending, finishStep, recorderOf } from './finish.ts'
import { lease } from './lease.ts'
import { listMatches } from './list-matches.ts'
import { assertMayContinue, RunEnded, ruleOfRun } from './may-continue.ts'
import { guardRail } from './rule.ts'
import { snapshotNext } from './snapshots.ts'
import * as store from './store.ts'

/** With 20 at a time, a run beside busy uploads took twice as long. */
const FEWEST_A_STEP = 100

/**
 * Works on runs that no process has claimed, two at a time per process, until none is left. After a crash another
 * process restarts a run's list, or continues deleting where it stopped.
 */
export const drainRuns = drain({
  lease,
  noun: 'policy run',
  logField: 'run',
  fewest: FEWEST_A_STEP,
  begin: async (ctx, _run, claim) => {
    const own = ctx.as({ ...systemActor, job_id: claim.id })
    return (size) => takeStep(own, claim, size)
  },
  isEnd: (error) => error instanceof RunEnded,
  async fail(ctx, claim, reason, error) {
    const status = error instanceof RunEnded ? error.status : 'failed'
    await finish(ctx, await lease.find(ctx.db, claim), claim, { status, reason })
  },
})

/** One step; false when the run has finished. */
async function takeStep(ctx: Ctx, claim: Claim, size: number): Promise<boolean> {
  const run = await lease.find(ctx.db, claim)
  if (run.listed_at === null) {
    await assertMayContinue(ctx.db, ctx, run)
    await listMatches(ctx, run, claim)
    return true
  }
  const stop = guardRail(ruleOfRun(run), run)
  if (stop !== null) throw new RunEnded('stopped', stop)
  if (run.kind === 'dry' || run.position >= run.matched) {
    await finish(ctx, run, claim, { status: 'succeeded', reason: null })
    return false
  }
  if (ruleOfRun(run).keep_snapshots !== null) await snapshotNext(ctx, run, claim)
  else await deleteNext(ctx, run, claim, size)
  return true
}

async function finish(ctx: Ctx, run: store.RunRow, claim: Claim, ending: Ending): Promise<void> {
  await ctx.as(recorderOf(run)).act(async (step) => {
    const own = await lease.hold(step.tx, claim)
    const policy = await store.findPolicy(step.tx, own.policy_id)
    if (!policy) throw new LeaseLost()
    await finishStep(step, own, policy.name, ending)
  })
}
