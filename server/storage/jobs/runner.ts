import { ServiceError } from '../../../contract/errors.ts'
import { actorOnBehalf } from '../../access/sessions/service.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { asCurrent, type Ctx, type Step, type Upkeep } from '../../context.ts'
import { isStorageOutage } from '../../drivers/driver.ts'
import { explain } from '../../drivers/explain.ts'
import { type Claim, renewed } from '../../work/lease.ts'
import { drain } from '../../work/steps.ts'
import { unclaimed } from '../../work/store.ts'
import { holdBucket, holdBuckets } from '../buckets/service.ts'
import type { ItemError } from '../objects/item-error.ts'
import { findStates, type KnownStates } from '../objects/object-state.ts'
import { deleteKeys, destination } from '../objects/transfers/bulk.ts'
import { Elsewhere, withCopies } from '../objects/transfers/copies.ts'
import { transferObjects } from '../objects/transfers/transfer.ts'
import { emptyStep } from './empty.ts'
import { keepAlive } from './keep-alive.ts'
import { lease } from './lease.ts'
import { listStep, listVersionsStep } from './listing.ts'
import { beginMigration, migrateStep } from './migrate.ts'
import { beginRelease, releaseStep, thaw } from './release.ts'
import type { CreateJob, JobActor } from './request.ts'
import * as store from './store.ts'
import { countUndoable, type Outcome, undoStep, type Work } from './undo.ts'

const FORGOTTEN_MS = 30 * DAY_MS
/** How long a move can be undone: it stores a row per object moved. */
const UNDOABLE_MS = 7 * DAY_MS
const MOVES_AT_ONCE = 5000
const FEWEST_A_STEP = 20
/** Most blobs that are copied to another storage in one step. */
const MOST_COPIES = 20
/** Stands for a missing version: there was nothing under a named key. */
const NO_BLOB = '00000000-0000-0000-0000-000000000000'

/** Works on jobs that no process has claimed, two at a time per process, until none is left. */
export const runJobs = drain({
  lease,
  noun: 'job',
  logField: 'job',
  fewest: FEWEST_A_STEP,
  async begin(ctx, job, claim) {
    const selection = JSON.parse((await store.findSelection(ctx.db, job.id)) ?? '{}') as Pick<
      CreateJob,
      'keys' | 'exclude'
    >
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
    while (await ctx.upkeep(({ tx }) => store.deleteOldMoves(tx, before(UNDOABLE_MS), MOVES_AT_ONCE)));
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
  await store.deleteItems(tx, id, total)
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
  const creator = ctx.as(actor)
  if (job.listed_at === null) {
    await (beginnings[job.kind] ?? listItems)(creator, claim, request)
    return true
  }
  if (job.position >= job.total) {
    await ctx.upkeep((step) => finish(step, claim, 'succeeded', null))
    return false
  }
  if (job.kind === 'migrate') await migrateStep(creator, claim, { job, request, size })
  else if (job.kind === 'release') await releaseStep(creator, claim, job)
  else await applyOrCopy(creator, claim, request, { size, pace })
  return true
}

/** Most objects a step, which is less once their bytes have to be copied to another storage. */
interface Pace {
  most: number
}

/** Takes a step, with copies of what it needs on another storage. */
async function applyOrCopy(
  ctx: Ctx,
  claim: Claim,
  request: CreateJob,
  { size, pace }: { size: number; pace: Pace },
): Promise<void> {
  const options = { most: MOST_COPIES, tick: keepAlive(ctx, claim) }
  const apply = (limit: number) =>
    withCopies(ctx, (copies) => applyStep(ctx, claim, { request, size: limit, copies }), options)
  try {
    await apply(Math.min(size, pace.most))
  } catch (error) {
    if (!(error instanceof Elsewhere)) throw error
    pace.most = MOST_COPIES
    await apply(MOST_COPIES)
  }
}

/** How jobs begin that take a bucket as a whole. */
const beginnings: { [kind in CreateJob['kind']]?: typeof beginRelease } = {
  migrate: beginMigration,
  release: beginRelease,
}
const listItems: typeof beginRelease = (ctx, claim, request) => ctx.upkeep((step) => listItemsOf(step, claim, request))

/** Lists the next keys; for a restore, whose items are already known, only counts them. */
async function listItemsOf(step: Upkeep, claim: Claim, request: CreateJob): Promise<void> {
  const { tx } = step
  const job = await lease.hold(tx, claim)
  const { id } = job
  const { id: bucketId, versioning } = await holdBucket(
    tx,
    request.source_bucket,
    request.kind === 'copy' ? 'read' : 'write',
  )
  if (request.kind === 'restore') {
    const total = await countUndoable(tx, request, bucketId)
    return void (await store.updateJob(tx, id, { total, listed_at: step.now().toISOString(), ...renewed(step) }))
  }
  const { items, next } =
    request.kind === 'empty_bucket' && versioning !== null
      ? await versionItems(step, bucketId, request, job.listed_to)
      : await objectItems(step, bucketId, request, job.listed_to)
  await store.insertItems(
    tx,
    items.map((item, i) => ({ ...item, job_id: id, position: job.total + i + 1 })),
  )
  await store.updateJob(tx, id, {
    total: job.total + items.length,
    listed_to: next,
    ...(next === null ? { listed_at: step.now().toISOString(), selection: store.NO_SELECTION } : {}),
    ...renewed(step),
  })
}

type NewItems = { items: Omit<store.Item, 'job_id' | 'position'>[]; next: string | null }

async function objectItems(step: Upkeep, bucketId: string, request: CreateJob, to: string | null): Promise<NewItems> {
  const { keys, next } = await listStep(step, bucketId, request, to)
  const seen = new Map((await findStates(step.tx, bucketId, keys)).map((one) => [one.key, one]))
  const items = keys.map((key) => {
    const { blob_id = NO_BLOB, last_modified = null } = seen.get(key) ?? {}
    return { key, blob_id, last_modified, version_id: null }
  })
  return { items, next }
}

/** What an emptied bucket loses that keeps versions: all of them. */
async function versionItems(step: Upkeep, bucketId: string, request: CreateJob, to: string | null): Promise<NewItems> {
  const { versions, next } = await listVersionsStep(step, bucketId, request, to)
  const items = versions.map(({ key, version_id }) => ({
    key,
    blob_id: null,
    last_modified: null,
    version_id: version_id ?? 'null',
  }))
  return { items, next }
}

/** Processes the next objects. Outcome and progress commit together, so that no object is processed twice. */
async function applyStep(ctx: Ctx, claim: Claim, work: Work): Promise<void> {
  const failed = await ctx.act(async (step) => {
    const job = await lease.hold(step.tx, claim)
    const outcome = await apply(await asCurrent(step), job, work)
    if (outcome.done === 0) return step.nothing(outcome)
    await noteOutcome(step, job, outcome)
    return null
  })
  if (failed) await ctx.upkeep(async (step) => noteOutcome(step, await lease.hold(step.tx, claim), failed))
}

/** Step: stores a step's outcome. */
async function noteOutcome(step: Upkeep, job: store.JobRow, outcome: Outcome): Promise<void> {
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
    ...(errors.length === 0 || known.length === store.MOST_ERRORS
      ? {}
      : { errors: JSON.stringify([...known, ...errors].slice(0, store.MOST_ERRORS)) }),
    ...renewed(step),
  })
}

/** The listed versions by key. Releases that listed only keys left no versions. */
const versionsOf = (items: readonly store.Item[]): KnownStates =>
  new Map(
    items.flatMap(({ key, blob_id, last_modified }) =>
      blob_id === null ? [] : [[key, { key, blob_id, last_modified: last_modified ?? '' }]],
    ),
  )

async function apply(step: Step, job: store.JobRow, work: Work): Promise<Outcome> {
  const { tx } = step
  const { request, size, copies } = work
  const { kind, source_bucket, prefix = '', dest_bucket = source_bucket, dest_prefix = '', if_none_match } = request
  const job_id = job.id
  if (kind === 'restore') return undoStep(step, job, work)
  if (kind === 'migrate' || kind === 'release') throw new Error('A whole bucket is moved by steps of its own')
  const items = await store.listItems(tx, job_id, job.position, size)
  const keys = items.map(({ key }) => key)
  const seen = versionsOf(items)
  const progress = { position: items.at(-1)?.position ?? job.total }
  if (kind === 'delete' || kind === 'empty_bucket') {
    const bucket = await holdBucket(tx, source_bucket)
    if (items.some(({ version_id }) => version_id !== null)) return emptyStep(step, bucket, items, job_id)
    const { removed, errors } = await deleteKeys(step, bucket, keys, { job_id, seen })
    return { done: removed.length, errors, progress }
  }
  const errors: ItemError[] = []
  const pairs = keys.flatMap((key) => {
    const dest = destination(key, dest_prefix, key.startsWith(prefix) ? prefix : undefined)
    if (dest === null) errors.push({ key, code: 'invalid_request', detail: 'The destination key would be invalid.' })
    return dest === null ? [] : [{ key, dest }]
  })
  const buckets = await holdBuckets(tx, source_bucket, dest_bucket, kind)
  const options = { kind, ifNoneMatch: if_none_match === '*', job_id, seen, copies }
  const { placed, errors: refused } = await transferObjects(step, buckets, pairs, options)
  if (kind === 'move' && placed.length > 0) {
    const positions = new Map(items.map(({ key, position }) => [key, position]))
    await store.insertMoves(
      tx,
      placed.map(({ pair, row: { bucket_id, key, blob_id }, trash_id }) => ({
        job_id,
        position: positions.get(pair.key) ?? 0,
        source_key: pair.key,
        bucket_id,
        key,
        blob_id,
        trash_id,
      })),
    )
  }
  return { done: placed.length, errors: [...errors, ...refused], progress }
}
