// The course of a job: list its objects, act on them step by step, finish.
import { ServiceError } from '../../../contract/errors.ts'
import { actorOnBehalf } from '../../access/sessions/service.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import { isStorageOutage } from '../../drivers/driver.ts'
import { explain } from '../../drivers/explain.ts'
import type { Claim } from '../../work/lease.ts'
import { drain } from '../../work/steps.ts'
import { unclaimed } from '../../work/store.ts'
import { applyOrCopy, type Pace } from './apply.ts'
import { listOrphans } from './compare/list.ts'
import { beginFork, forkStep } from './fork/steps.ts'
import { assertSameBuckets } from './held.ts'
import * as itemStore from './items/store.ts'
import { lease } from './lease.ts'
import { listItemsOf } from './list-items.ts'
import { beginMigration, migrateStep } from './migration/migrate.ts'
import { beginRecoding, recodeStep } from './recode/recode.ts'
import { beginRelease, releaseStep, thaw } from './release.ts'
import type { CreateJob, JobActor, Selection } from './request.ts'
import * as store from './store.ts'

const FORGOTTEN_MS = 30 * DAY_MS
/** How long a move can be undone: it stores a row per object moved. */
const UNDOABLE_MS = 7 * DAY_MS
const MOVES_AT_ONCE = 5000
const FEWEST_A_STEP = 20

/** Works on jobs that no process has claimed, two at a time per process, until none is left. */
export const runJobs = drain({
  lease,
  noun: 'job',
  logField: 'job',
  fewest: FEWEST_A_STEP,
  async begin(ctx, job, claim) {
    const selection = JSON.parse((await store.findSelection(ctx.db, job.id)) ?? '{}') as Selection
    const request = { ...(JSON.parse(job.request) as CreateJob), ...selection }
    const pace = { most: Number.POSITIVE_INFINITY }
    return (size) => takeStep(ctx, claim, request, { size, pace })
  },
  async fail(ctx, claim, reason, error) {
    await thaw(ctx, claim)
    await ctx.upkeep((step) => finish(step, claim, 'failed', isStorageOutage(error) ? explain(error) : reason))
  },
})

export const jobWorker = { name: 'jobs', every: 1000, run: runJobs }

/** Deletes jobs that finished over a month ago, and what they moved after a week. */
export const forgetJobs = {
  name: 'job-expiry',
  every: HOUR_MS,
  deletesByAge: true as const,
  run: async (ctx: Ctx): Promise<void> => {
    const before = (ms: number) => new Date(ctx.now().getTime() - ms)
    while (await ctx.upkeep(({ tx }) => itemStore.deleteOldMoves(tx, before(UNDOABLE_MS), MOVES_AT_ONCE)));
    await ctx.upkeep(({ tx }) => store.deleteFinished(tx, before(FORGOTTEN_MS)))
  },
}

async function finish(
  step: Upkeep,
  claim: Claim,
  status: 'succeeded' | 'failed' | 'cancelled',
  detail: string | null,
): Promise<void> {
  const { tx } = step
  const { id, total } = await lease.hold(tx, claim)
  await itemStore.deleteItems(tx, id, total)
  const finished_at = step.now().toISOString()
  await store.updateJob(tx, id, { status, detail, finished_at, ...unclaimed, selection: store.NO_SELECTION })
}

/** Runs one step with the creator's current rights; false when the job has finished. */
async function takeStep(
  ctx: Ctx,
  claim: Claim,
  request: CreateJob,
  { size, pace }: { size: number; pace: Pace },
): Promise<boolean> {
  const job = await lease.find(ctx.db, claim)
  if (job.cancel_at !== null) {
    await thaw(ctx, claim)
    await ctx.upkeep((step) => finish(step, claim, 'cancelled', null))
    return false
  }
  const { origin, token_id: token, ...credential } = JSON.parse(job.actor) as JobActor
  const actor = await actorOnBehalf(
    { db: ctx.db, now: ctx.now, actor: { origin } },
    { user: job.created_by, token, ...credential },
    () =>
      new ServiceError(
        'forbidden',
        'The account that started this job, or the token it was started with, is no longer active.',
      ),
  )
  const creator = ctx.as({ ...actor, job_id: claim.id })
  await assertSameBuckets(ctx.db, request)
  if (job.listed_at === null) {
    await (beginnings[job.kind] ?? listItems)(creator, claim, request)
    return true
  }
  if (job.position >= job.total) {
    await ctx.upkeep((step) => finish(step, claim, 'succeeded', null))
    return false
  }
  if (job.kind === 'migrate') await migrateStep(creator, claim, { job, request, size })
  else if (job.kind === 'encrypt' || job.kind === 'decrypt') await recodeStep(creator, claim, { job, request, size })
  else if (job.kind === 'release') await releaseStep(creator, claim, job)
  else if (job.kind === 'fork') await forkStep(creator, claim, { request, size })
  else await applyOrCopy(creator, claim, request, { size, pace })
  return true
}

/** How jobs begin that take a bucket as a whole. */
const beginnings: { [kind in CreateJob['kind']]?: typeof beginRelease } = {
  migrate: beginMigration,
  release: beginRelease,
  fork: beginFork,
  encrypt: beginRecoding,
  decrypt: beginRecoding,
}
const listItems: typeof beginRelease = (ctx, claim, { needed, ...request }) =>
  needed ? listOrphans(ctx, claim, { ...request, needed }) : ctx.upkeep((step) => listItemsOf(step, claim, request))
