import { ServiceError } from '../../contract/errors.ts'
import { actorOnBehalf } from '../auth/service.ts'
import { holdBucket, holdBuckets } from '../buckets/service.ts'
import { asCurrent, type Ctx, type Record } from '../context.ts'
import type { Tx } from '../db/schema.ts'
import { deleteKeys, destination } from '../objects/bulk.ts'
import type { ItemError } from '../objects/item-error.ts'
import { retryTaken } from '../objects/retry.ts'
import { transferObjects } from '../objects/transfer.ts'
import { findVersions, type Seen } from '../objects/versions.ts'
import { drainBy, LEASE_MS, Lost, takeSteps } from '../steps.ts'
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
    while (await ctx.upkeep((tx) => store.deleteOldMoves(tx, before(UNDOABLE_MS), MOVES)));
    await ctx.upkeep((tx) => store.deleteFinished(tx, before(FORGOTTEN_MS)))
  },
}

/** Nothing of a step could be done, so that there is nothing to record. */
class NothingDone extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super()
    this.outcome = outcome
  }
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
    await ctx.upkeep((tx) => finish(tx, ctx, id, runner, 'cancelled', null))
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

/** Writes down the next keys; of a restore, whose items are known already, only how many they are. */
async function list(tx: Tx, ctx: Ctx, id: string, runner: string, request: CreateJob): Promise<void> {
  const job = await lockOwn(tx, id, runner)
  const { id: bucketId } = await holdBucket(tx, request.source_bucket)
  if (request.kind === 'restore') {
    const total = await countUndoable(tx, request.of ?? '')
    return void (await store.updateJob(tx, id, { total, listed_at: ctx.now().toISOString(), ...lease(ctx) }))
  }
  const { keys, next } = await listStep(tx, ctx, bucketId, request, job.listed_to)
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
    ...(next === null ? { listed_at: ctx.now().toISOString(), selection: store.NO_SELECTION } : {}),
    ...lease(ctx),
  })
}

/** Does the next objects: what became of them and how far the job is commit together, so none is done twice. */
async function work(ctx: Ctx, id: string, runner: string, request: CreateJob, size: number): Promise<void> {
  try {
    await ctx.act(async (tx, record) => {
      const job = await lockOwn(tx, id, runner)
      const creator = await asCurrent(tx, ctx)
      const outcome = await apply(tx, creator, job, request, size, record)
      if (outcome.done === 0) throw new NothingDone(outcome)
      await note(tx, ctx, job, outcome)
    })
  } catch (error) {
    if (!(error instanceof NothingDone)) throw error
    await ctx.upkeep(async (tx) => note(tx, ctx, await lockOwn(tx, id, runner), error.outcome))
  }
}

/** Step: writes down what a step came to. */
async function note(tx: Tx, ctx: Ctx, job: store.JobRow, outcome: Outcome): Promise<void> {
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
    ...lease(ctx),
  })
}

/** What a job listed, by its keys; a release that knew only keys has left no versions. */
const versionsOf = (items: readonly store.Item[]): Seen =>
  new Map(
    items.flatMap(({ key, blob_id, last_modified }) =>
      blob_id === null ? [] : [[key, { key, blob_id, last_modified: last_modified ?? '' }]],
    ),
  )

async function apply(
  tx: Tx,
  ctx: Ctx,
  job: store.JobRow,
  request: CreateJob,
  size: number,
  record: Record,
): Promise<Outcome> {
  const { kind, source_bucket, prefix = '', dest_bucket = source_bucket, dest_prefix = '', if_none_match } = request
  const job_id = job.id
  if (kind === 'restore') return undoStep(tx, ctx, job, request, size, record)
  const items = await store.listItems(tx, job_id, job.position, size)
  const keys = items.map(({ key }) => key)
  const seen = versionsOf(items)
  const progress = { position: items.at(-1)?.position ?? job.total }
  if (kind === 'delete' || kind === 'empty_bucket') {
    const bucket = await holdBucket(tx, source_bucket)
    const { removed, errors } = await deleteKeys(tx, ctx, bucket, keys, { job_id, seen }, record)
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
  const { placed, errors: refused } = await transferObjects(tx, ctx, kind, buckets, pairs, options, record)
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
