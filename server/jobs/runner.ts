import { ServiceError } from '../../contract/errors.ts'
import { actorOnBehalf } from '../auth/service.ts'
import { holdBucket, holdBuckets } from '../buckets/service.ts'
import { asCurrent, type Ctx, type Step, type Upkeep } from '../context.ts'
import type { Tx } from '../db/schema.ts'
import { deleteKeys, destination } from '../objects/bulk.ts'
import type { ItemError } from '../objects/item-error.ts'
import { retryTaken } from '../objects/retry.ts'
import { transferObjects } from '../objects/transfer.ts'
import { findVersions, type Seen } from '../objects/versions.ts'
import { drainBy, LEASE_MS, Lost, takeSteps } from '../work/steps.ts'
import { listStep } from './listing.ts'
import type { CreateJob, JobActor } from './request.ts'
import * as store from './store.ts'
import { countUndoable, type Outcome, undoStep } from './undo.ts'

const MOST_ERRORS = 100
const DAY_MS = 24 * 3600_000
const FORGOTTEN_MS = 30 * DAY_MS
/** How long a move can be undone: what it moved is a row for each object. */
const UNDOABLE_MS = 7 * DAY_MS
const MOVES = 5000
const FEWEST = 20
/** The blob of a version that there is not: nothing was under a key that was named. */
const NOTHING = '00000000-0000-0000-0000-000000000000'

/** Works on jobs that nobody works on, two at a time in a process, until there are none. */
export const runJobs = drainBy(store.claimJob, runJob)

export const jobWorker = { name: 'jobs', every: 1000, run: runJobs }

/** Forgets jobs that were over a month ago, and after a week what they moved. */
export const forgetJobs = {
  name: 'job-expiry',
  every: 3600_000,
  deletesByAge: true as const,
  run: async (ctx: Ctx): Promise<void> => {
    const before = (ms: number) => new Date(ctx.now().getTime() - ms)
    while (await ctx.upkeep(({ tx }) => store.deleteOldMoves(tx, before(UNDOABLE_MS), MOVES)));
    await ctx.upkeep(({ tx }) => store.deleteFinished(tx, before(FORGOTTEN_MS)))
  },
}

/** Takes a job step by step until it is over, cancelled, lost, or the process ends. */
async function runJob(ctx: Ctx, job: store.JobRow, runner: string): Promise<void> {
  const selection = JSON.parse((await store.findSelection(ctx.db, job.id)) ?? '{}') as Pick<
    CreateJob,
    'keys' | 'exclude'
  >
  const request = { ...(JSON.parse(job.request) as CreateJob), ...selection }
  try {
    const over = await takeSteps(ctx, {
      step: (size) => step(ctx, job, runner, request, size),
      fewest: FEWEST,
      onRetry: (error) => ctx.log.warn({ err: error, job: job.id }, 'a step of a job is tried again'),
    })
    if (!over) await release(ctx, job.id, runner)
  } catch (error) {
    if (error instanceof Lost) return
    if (!(error instanceof ServiceError)) ctx.log.error({ err: error, job: job.id }, 'a job failed')
    const detail = error instanceof ServiceError ? error.message : 'Something went wrong on our side; see the log.'
    await ctx
      .upkeep((step) => finish(step, job.id, runner, 'failed', detail))
      .catch((failure: unknown) => {
        if (!(failure instanceof Lost)) throw failure
      })
  }
}

/** The process ends: the next one may go on at once. */
const release = (ctx: Ctx, id: string, runner: string) =>
  ctx.upkeep(async ({ tx }) => {
    if (await store.lockOwnJob(tx, id, runner)) await store.updateJob(tx, id, { leased_until: null, runner: null })
  })

async function lockOwn(tx: Tx, id: string, runner: string): Promise<store.JobRow> {
  const row = await store.lockOwnJob(tx, id, runner)
  if (!row) throw new Lost()
  return row
}

async function finish(
  step: Upkeep,
  id: string,
  runner: string,
  status: 'succeeded' | 'failed' | 'cancelled',
  detail: string | null,
): Promise<void> {
  const { tx } = step
  const row = await lockOwn(tx, id, runner)
  await store.deleteItems(tx, id, row.total)
  const finished_at = step.now().toISOString()
  const over = { status, detail, finished_at, runner: null, leased_until: null }
  await store.updateJob(tx, id, { ...over, selection: store.NO_SELECTION })
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
    await ctx.upkeep((step) => finish(step, id, runner, 'cancelled', null))
    return false
  }
  const { origin, token_id: token, ...credential } = JSON.parse(job.actor) as JobActor
  const actor = await actorOnBehalf(
    { db: ctx.db, now: ctx.now, actor: { origin } },
    { user: job.created_by, token, ...credential },
    () =>
      new ServiceError(
        'forbidden',
        'The account that began this job, or the token it was begun with, is not active any more.',
      ),
  )
  const creator = ctx.as(actor)
  if (job.listed_at === null) {
    await creator.upkeep((step) => list(step, id, runner, request))
    return true
  }
  if (job.position >= job.total) {
    await ctx.upkeep((step) => finish(step, id, runner, 'succeeded', null))
    return false
  }
  await retryTaken(() => work(creator, id, runner, request, size))
  return true
}

const lease = ({ now }: Pick<Ctx, 'now'>) => ({ leased_until: new Date(now().getTime() + LEASE_MS).toISOString() })

/** Writes down the next keys; of a restore, whose items are known already, only how many they are. */
async function list(step: Upkeep, id: string, runner: string, request: CreateJob): Promise<void> {
  const { tx } = step
  const job = await lockOwn(tx, id, runner)
  const { id: bucketId } = await holdBucket(tx, request.source_bucket)
  if (request.kind === 'restore') {
    const total = await countUndoable(tx, request.of ?? '')
    return void (await store.updateJob(tx, id, { total, listed_at: step.now().toISOString(), ...lease(step) }))
  }
  const { keys, next } = await listStep(step, bucketId, request, job.listed_to)
  const versions = new Map((await findVersions(tx, bucketId, keys)).map((version) => [version.key, version]))
  await store.insertItems(
    tx,
    keys.map((key, i) => {
      const { blob_id = NOTHING, last_modified = null } = versions.get(key) ?? {}
      return { job_id: id, position: job.total + i + 1, key, blob_id, last_modified }
    }),
  )
  await store.updateJob(tx, id, {
    total: job.total + keys.length,
    listed_to: next,
    ...(next === null ? { listed_at: step.now().toISOString(), selection: store.NO_SELECTION } : {}),
    ...lease(step),
  })
}

/** Does the next objects: what became of them and how far the job is commit together, so none is done twice. */
async function work(ctx: Ctx, id: string, runner: string, request: CreateJob, size: number): Promise<void> {
  const failed = await ctx.act(async (step) => {
    const job = await lockOwn(step.tx, id, runner)
    const outcome = await apply(await asCurrent(step), job, request, size)
    if (outcome.done === 0) return step.nothing(outcome)
    await note(step, job, outcome)
    return null
  })
  if (failed) await ctx.upkeep(async (step) => note(step, await lockOwn(step.tx, id, runner), failed))
}

/** Step: writes down what a step came to. */
async function note(step: Upkeep, job: store.JobRow, outcome: Outcome): Promise<void> {
  const { tx } = step
  const { done, errors, progress, settled } = outcome
  const known = errors.length === 0 ? [] : (JSON.parse(job.errors) as ItemError[])
  if (job.kind !== 'restore') await store.deleteItems(tx, job.id, progress.position)
  if (settled) await store.deleteMoves(tx, settled.by, settled.positions)
  await store.updateJob(tx, job.id, {
    ...progress,
    done: job.done + done,
    failed: job.failed + errors.length,
    changed: job.changed + errors.filter(({ code }) => code === 'changed').length,
    ...(errors.length === 0 || known.length === MOST_ERRORS
      ? {}
      : { errors: JSON.stringify([...known, ...errors].slice(0, MOST_ERRORS)) }),
    ...lease(step),
  })
}

/** What a job listed, by its keys; a release that knew only keys has left no versions. */
const versionsOf = (items: readonly store.Item[]): Seen =>
  new Map(
    items.flatMap(({ key, blob_id, last_modified }) =>
      blob_id === null ? [] : [[key, { key, blob_id, last_modified: last_modified ?? '' }]],
    ),
  )

async function apply(step: Step, job: store.JobRow, request: CreateJob, size: number): Promise<Outcome> {
  const { tx } = step
  const { kind, source_bucket, prefix = '', dest_bucket = source_bucket, dest_prefix = '', if_none_match } = request
  const job_id = job.id
  if (kind === 'restore') return undoStep(step, job, request, size)
  const items = await store.listItems(tx, job_id, job.position, size)
  const keys = items.map(({ key }) => key)
  const seen = versionsOf(items)
  const progress = { position: items.at(-1)?.position ?? job.total }
  if (kind === 'delete' || kind === 'empty_bucket') {
    const bucket = await holdBucket(tx, source_bucket)
    const { removed, errors } = await deleteKeys(step, bucket, keys, { job_id, seen })
    return { done: removed.length, errors, progress }
  }
  const errors: ItemError[] = []
  const pairs = keys.flatMap((key) => {
    const dest = destination(key, dest_prefix, key.startsWith(prefix) ? prefix : undefined)
    if (dest === null) errors.push({ key, code: 'invalid_request', detail: 'The new key would not be valid.' })
    return dest === null ? [] : [{ key, dest }]
  })
  const buckets = await holdBuckets(tx, source_bucket, dest_bucket)
  const options = { ifNoneMatch: if_none_match === '*', job_id, seen }
  const { placed, errors: refused } = await transferObjects(step, kind, buckets, pairs, options)
  if (kind === 'move' && placed.length > 0) {
    const positions = new Map(items.map(({ key, position }) => [key, position]))
    await store.insertMoves(
      tx,
      placed.map(({ pair, row: { bucket_id, key, blob_id }, trash_id }) => ({
        ...{ job_id, position: positions.get(pair.key) ?? 0, source_key: pair.key },
        ...{ bucket_id, key, blob_id, trash_id },
      })),
    )
  }
  return { done: placed.length, errors: [...errors, ...refused], progress }
}
