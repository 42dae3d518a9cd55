import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../../contract/errors.ts'
import { actorOfUser } from '../auth/service.ts'
import { holdBucket, holdBuckets } from '../buckets/service.ts'
import type { Ctx, Record } from '../context.ts'
import type { Tx } from '../db/schema.ts'
import { newId } from '../id.ts'
import { deleteKeys, destination } from '../objects/bulk.ts'
import { type ItemError, retryTaken, transferObjects } from '../objects/transfer.ts'
import { listStep } from './listing.ts'
import type { CreateJob, JobActor } from './service.ts'
import * as store from './store.ts'

const LEASE_MS = 60_000
const AT_ONCE = 2
const MOST_ERRORS = 100
const FORGOTTEN_MS = 30 * 24 * 3600_000
/** Objects a transaction: as many as keep the process busy about so long, since its other requests wait meanwhile. */
const FEWEST = 20
const MOST = 1000
const STEP_MS = 30
/** How often a step is tried again that fails for a reason that may pass, like a database that is restarted. */
const TRIES = 5

/** How many run in this process. */
const running = new WeakMap<object, number>()

/** Works on jobs that nobody works on, two at a time in a process, until there are none. */
export async function runJobs(ctx: Ctx): Promise<void> {
  const busy = running.get(ctx.blobs) ?? 0
  if (busy >= AT_ONCE) return
  running.set(ctx.blobs, busy + 1)
  try {
    while (!ctx.stopping.aborted) {
      const runner = newId()
      const now = ctx.now()
      const until = new Date(now.getTime() + LEASE_MS)
      const job = await ctx.upkeep((tx) => store.claimJob(tx, runner, now, until))
      if (!job) return
      await runJob(ctx, job, runner)
    }
  } finally {
    running.set(ctx.blobs, (running.get(ctx.blobs) ?? 1) - 1)
  }
}

export const jobWorker = { name: 'jobs', every: 1000, run: runJobs }

/** Forgets jobs that were over a month ago. */
export const forgetJobs = {
  name: 'job-expiry',
  every: 3600_000,
  run: async (ctx: Ctx): Promise<void> => {
    await ctx.upkeep((tx) => store.deleteFinished(tx, new Date(ctx.now().getTime() - FORGOTTEN_MS)))
  },
}

/** Another process has taken the job over, or it was deleted. */
class Lost extends Error {}
/** Nothing of a step could be done, so that there is nothing to record. */
class NothingDone extends Error {
  readonly errors: readonly ItemError[]
  constructor(errors: readonly ItemError[]) {
    super()
    this.errors = errors
  }
}

/** Takes a job step by step until it is over, cancelled, lost, or the process ends. */
async function runJob(ctx: Ctx, job: store.JobRow, runner: string): Promise<void> {
  const selection = JSON.parse((await store.findSelection(ctx.db, job.id)) ?? '{}') as Pick<
    CreateJob,
    'keys' | 'exclude'
  >
  const request = { ...(JSON.parse(job.request) as CreateJob), ...selection }
  let size = 250
  let failures = 0
  try {
    for (;;) {
      if (ctx.stopping.aborted) return void (await release(ctx, job.id, runner))
      const before = performance.eventLoopUtilization()
      try {
        if (!(await step(ctx, job, runner, request, size))) return
        failures = 0
      } catch (error) {
        const passes = error instanceof ServiceError ? error.code === 'busy' : !(error instanceof Lost)
        if (!passes || ++failures > TRIES) throw error
        ctx.log.warn({ err: error, job: job.id }, 'a step of a job is tried again')
        await pause(100 * 2 ** failures, undefined, { signal: ctx.stopping }).catch(() => undefined)
        continue
      }
      const { active } = performance.eventLoopUtilization(before)
      size = Math.round(Math.min(MOST, Math.max(FEWEST, (size * STEP_MS) / Math.max(1, active))))
      await nextTurn()
    }
  } catch (error) {
    if (error instanceof Lost) return
    if (!(error instanceof ServiceError)) ctx.log.error({ err: error, job: job.id }, 'a job failed')
    const detail = error instanceof ServiceError ? error.message : 'Something went wrong on our side; see the log.'
    await ctx
      .upkeep((tx) => finish(tx, ctx, job.id, runner, 'failed', detail))
      .catch((failure: unknown) => {
        if (!(failure instanceof Lost)) throw failure
      })
  }
}

/** The process ends: the next one may go on at once. */
const release = (ctx: Ctx, id: string, runner: string) =>
  ctx.upkeep(async (tx) => {
    if (await store.lockOwnJob(tx, id, runner)) await store.updateJob(tx, id, { leased_until: null, runner: null })
  })

async function lockOwn(tx: Tx, id: string, runner: string): Promise<store.JobRow> {
  const row = await store.lockOwnJob(tx, id, runner)
  if (!row) throw new Lost()
  return row
}

async function finish(
  tx: Tx,
  ctx: Ctx,
  id: string,
  runner: string,
  status: 'succeeded' | 'failed' | 'cancelled',
  detail: string | null,
): Promise<void> {
  const row = await lockOwn(tx, id, runner)
  await store.deleteItems(tx, id, row.total)
  const finished_at = ctx.now().toISOString()
  await store.updateJob(tx, id, { status, detail, finished_at, runner: null, leased_until: null })
}

/** One step with the creator's rights of this moment; false when the job is over. */
async function step(
  ctx: Ctx,
  { id }: store.JobRow,
  runner: string,
  request: CreateJob,
  size: number,
): Promise<boolean> {
  const job = await store.findJob(ctx.db, id)
  if (!job || job.runner !== runner) throw new Lost()
  if (job.cancel_at !== null) {
    await ctx.upkeep((tx) => finish(tx, ctx, id, runner, 'cancelled', null))
    return false
  }
  const { origin, ...credential } = JSON.parse(job.actor) as JobActor
  const actor = await actorOfUser({ db: ctx.db, now: ctx.now, actor: { origin } }, job.created_by, credential.token_id)
  if (!actor)
    throw new ServiceError(
      'forbidden',
      'The account that began this job, or the token it was begun with, is not active any more.',
    )
  const creator = ctx.as({ ...actor, ...credential })
  if (job.listed_at === null) {
    await ctx.upkeep((tx) => list(tx, creator, id, runner, request))
    return true
  }
  if (job.position >= job.total) {
    await ctx.upkeep((tx) => finish(tx, ctx, id, runner, 'succeeded', null))
    return false
  }
  await retryTaken(() => work(creator, id, runner, request, size))
  return true
}

const lease = (ctx: Ctx) => ({ leased_until: new Date(ctx.now().getTime() + LEASE_MS).toISOString() })

/** Writes down the next keys. */
async function list(tx: Tx, ctx: Ctx, id: string, runner: string, request: CreateJob): Promise<void> {
  const job = await lockOwn(tx, id, runner)
  const { id: bucketId } = await holdBucket(tx, request.source_bucket)
  const { keys, next } = await listStep(tx, ctx, bucketId, request, job.listed_to)
  await store.insertItems(
    tx,
    keys.map((key, i) => ({ job_id: id, position: job.total + i + 1, key })),
  )
  await store.updateJob(tx, id, {
    total: job.total + keys.length,
    listed_to: next,
    listed_at: next === null ? ctx.now().toISOString() : null,
    ...lease(ctx),
  })
}

/** Does the next objects: what became of them and how far the job is commit together, so none is done twice. */
async function work(ctx: Ctx, id: string, runner: string, request: CreateJob, size: number): Promise<void> {
  /** The objects of this step, and `write` to note what became of them. */
  const begin = async (tx: Tx) => {
    const job = await lockOwn(tx, id, runner)
    const items = await store.listItems(tx, id, job.position, size)
    const position = items.at(-1)?.position ?? job.total
    const write = async (errors: readonly ItemError[]) => {
      const known = errors.length === 0 ? [] : (JSON.parse(job.errors) as ItemError[])
      await store.deleteItems(tx, id, position)
      await store.updateJob(tx, id, {
        position,
        done: job.done + items.length - errors.length,
        failed: job.failed + errors.length,
        ...(errors.length === 0 || known.length === MOST_ERRORS
          ? {}
          : { errors: JSON.stringify([...known, ...errors].slice(0, MOST_ERRORS)) }),
        ...lease(ctx),
      })
    }
    return { keys: items.map(({ key }) => key), write }
  }
  try {
    await ctx.act(async (tx, record) => {
      const { keys, write } = await begin(tx)
      const { done, errors } = await apply(tx, ctx, id, request, keys, record)
      if (done === 0) throw new NothingDone(errors)
      await write(errors)
    })
  } catch (error) {
    if (!(error instanceof NothingDone)) throw error
    await ctx.upkeep(async (tx) => {
      const { write } = await begin(tx)
      await write(error.errors)
    })
  }
}

async function apply(
  tx: Tx,
  ctx: Ctx,
  job_id: string,
  request: CreateJob,
  keys: readonly string[],
  record: Record,
): Promise<{ done: number; errors: ItemError[] }> {
  const { kind, source_bucket, prefix = '', dest_bucket = source_bucket, dest_prefix = '', if_none_match } = request
  if (kind === 'delete' || kind === 'empty_bucket') {
    const bucket = await holdBucket(tx, source_bucket)
    const { removed, errors } = await deleteKeys(tx, ctx, bucket, keys, { job_id }, record)
    return { done: removed.length, errors }
  }
  const errors: ItemError[] = []
  const pairs = keys.flatMap((key) => {
    const dest = destination(key, dest_prefix, key.startsWith(prefix) ? prefix : undefined)
    if (dest === null) errors.push({ key, code: 'invalid_request', detail: 'The new key would not be valid.' })
    return dest === null ? [] : [{ key, dest }]
  })
  const buckets = await holdBuckets(tx, source_bucket, dest_bucket)
  const options = { ifNoneMatch: if_none_match === '*', job_id }
  const { placed, errors: refused } = await transferObjects(tx, ctx, kind, buckets, pairs, options, record)
  return { done: placed.length, errors: [...errors, ...refused] }
}
