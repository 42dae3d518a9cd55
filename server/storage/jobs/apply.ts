// One step of a job: copies, moves, deletes or tags the next of its listed objects.
import { asCurrent, type Ctx, currentActor, type Step, type Upkeep } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { renewed } from '../../work/lease.ts'
import type { Claim } from '../../work/store.ts'
import { askedBy } from '../buckets/encryption.ts'
import type { ItemError } from '../objects/item-error.ts'
import type { KnownStates } from '../objects/object-state.ts'
import { deleteKeys, destination } from '../objects/transfers/bulk.ts'
import { Elsewhere, withCopies } from '../objects/transfers/copies.ts'
import { transferObjects } from '../objects/transfers/transfer.ts'
import { emptyStep } from './empty.ts'
import { noted } from './failures.ts'
import { holdBoth, holdSource } from './held.ts'
import * as itemStore from './items/store.ts'
import { keepAlive } from './keep-alive.ts'
import { lease } from './lease.ts'
import { keepStep, mergeStep } from './merge/apply.ts'
import { type CreateJob, goesBack } from './request.ts'
import { rollbackStep } from './rollback/apply.ts'
import * as store from './store.ts'
import { tagStep } from './tags.ts'
import { type Outcome, undoStep, type Work } from './undo.ts'

/** Most blobs that are copied to another storage in one step. */
const MOST_COPIES = 20

/** Most objects a step, which is less once their bytes have to be copied to another storage. */
export interface Pace {
  most: number
}

/** Takes a step, with copies of what it needs on another storage. */
export async function applyOrCopy(
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

/** Processes the next objects. Outcome and progress commit together, so that no object is processed twice. */
async function applyStep(ctx: Ctx, claim: Claim, work: Work): Promise<void> {
  if (work.request.kind === 'merge' && (await ctx.upkeep((step) => applyKept(step, claim, work)))) return
  const failed = await ctx.act(async (step) => {
    const job = await lease.hold(step.tx, claim)
    const outcome = await apply(await asCurrent(step), job, work)
    if (outcome.done === 0 || outcome.isUnchanged) return step.nothing(outcome)
    await noteOutcome(step, job, outcome)
    return null
  })
  if (failed) await ctx.upkeep(async (step) => noteOutcome(step, await lease.hold(step.tx, claim), failed))
}

/** Step: processes the next keys of a merge that stay as they are, which is nothing to record; false if there are none. */
async function applyKept(step: Upkeep, claim: Claim, { request, size }: Work) {
  const job = await lease.hold(step.tx, claim)
  const items = await nextItems(step.tx, job, { size, kept: true })
  const last = items.at(-1)
  if (!last) return step.nothing(false)
  const outcome = await keepStep({ ...step, actor: await currentActor(step) }, request, items, { job_id: job.id })
  await noteOutcome(step, job, { ...outcome, progress: { position: last.position } })
  return true
}

/** The next items of a job, as far as all of them are to be kept as they are, or none. */
async function nextItems(
  tx: Tx,
  job: store.JobRow,
  { size, kept }: { size: number; kept: boolean },
): Promise<itemStore.Item[]> {
  const next = await itemStore.listItems(tx, job.id, job.position, size)
  const end = next.findIndex((item) => Boolean(item.kept) !== kept)
  return end < 0 ? next : next.slice(0, end)
}

/** Step: stores a step's outcome. */
async function noteOutcome(step: Upkeep, job: store.JobRow, outcome: Outcome): Promise<void> {
  const { tx } = step
  const { done, errors, progress, settled } = outcome
  await itemStore.deleteItems(tx, job.id, progress.position)
  if (settled) await itemStore.deleteMoves(tx, settled.by, settled.positions)
  await store.updateJob(tx, job.id, {
    ...progress,
    done: job.done + done,
    ...noted(job, errors),
    ...renewed(step),
  })
}

/** The listed versions by key. Releases that listed only keys left no versions. */
const versionsOf = (items: readonly itemStore.Item[]): KnownStates =>
  new Map(
    items.flatMap(({ key, blob_id, last_modified, seen: moment }) =>
      blob_id === null ? [] : [[key, { key, blob_id, last_modified: last_modified ?? '', moment }]],
    ),
  )

async function apply(step: Step, job: store.JobRow, work: Work): Promise<Outcome> {
  const { tx } = step
  const { request, size, copies } = work
  const { kind, prefix = '', dest_prefix = '', if_none_match, keep_both } = request
  const job_id = job.id
  if (kind === 'restore' && !goesBack(request)) return undoStep(step, job, work)
  const items = await nextItems(tx, job, { size, kept: false })
  const keys = items.map(({ key }) => key)
  const seen = versionsOf(items)
  const progress = { position: items.at(-1)?.position ?? job.total }
  if (goesBack(request)) {
    return { ...(await rollbackStep(step, request, items, job_id)), progress }
  }
  if (kind === 'merge') return { ...(await mergeStep(step, request, items, { job_id, copies })), progress }
  if (kind === 'delete' || kind === 'empty_bucket') {
    const bucket = await holdSource(tx, request)
    if (items.some(({ version_id }) => version_id !== null)) return emptyStep(step, bucket, items, job_id)
    const { removed, errors } = await deleteKeys(step, bucket, keys, { job_id, seen })
    return { done: removed.length, errors, progress }
  }
  if (kind === 'tag') return { ...(await tagStep(step, request, keys, { job_id, seen })), progress }
  if (kind !== 'copy' && kind !== 'move') throw new Error(`No step is known of a job of kind ${kind}`)
  const errors: ItemError[] = []
  const pairs = keys.flatMap((key) => {
    const dest = destination(key, dest_prefix, key.startsWith(prefix) ? prefix : undefined)
    if (dest === null) errors.push({ key, code: 'invalid_request', detail: 'The destination key would be invalid.' })
    return dest === null ? [] : [{ key, dest }]
  })
  const buckets = await holdBoth(tx, request, kind)
  const recoding = { wanted: askedBy(request.encryption) }
  const options = { kind, ifNoneMatch: if_none_match === '*', keepBoth: keep_both, recoding, job_id, seen, copies }
  const { placed, errors: refused } = await transferObjects(step, buckets, pairs, options)
  if (kind === 'move' && placed.length > 0) {
    const positions = new Map(items.map(({ key, position }) => [key, position]))
    await itemStore.insertMoves(
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
