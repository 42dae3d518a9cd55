// The first steps of a job: write down the objects it will act on, as they are now.
import { NIL_ID } from '../../base/id.ts'
import type { Upkeep } from '../../context.ts'
import { renewed } from '../../work/lease.ts'
import type { Claim } from '../../work/store.ts'
import { findStates } from '../objects/object-state.ts'
import { assertAsApproved } from './approved.ts'
import { holdSource } from './held.ts'
import * as itemStore from './items/store.ts'
import { lease } from './lease.ts'
import { listStep, listVersionsStep } from './listing.ts'
import { listMerge } from './merge/list.ts'
import { type CreateJob, goesBack } from './request.ts'
import { listRollback } from './rollback/list.ts'
import * as store from './store.ts'
import { countUndoable } from './undo.ts'

/**
 * Lists the next keys; for a restore, whose items are already known, only counts them. Throws where the whole is not what was
 * approved.
 */
export async function listItemsOf(step: Upkeep, claim: Claim, request: CreateJob): Promise<void> {
  const job = await lease.hold(step.tx, claim)
  await listNext(step, job, request)
  if (request.approved === undefined) return
  const { listed_at = null } = (await store.findJob(step.tx, job.id)) ?? {}
  if (listed_at !== null) await assertAsApproved(step, job.id, request)
}

async function listNext(step: Upkeep, job: store.JobRow, request: CreateJob): Promise<void> {
  const { tx } = step
  const { id } = job
  if (request.kind === 'merge') return listMerge(step, job, request)
  const bucket = await holdSource(tx, request, request.kind === 'copy' || request.kind === 'tag' ? 'read' : 'write')
  if (goesBack(request)) return listRollback(step, job, request, bucket)
  const { id: bucketId, versioning } = bucket
  if (request.kind === 'restore') {
    const total = await countUndoable(tx, request, bucketId)
    return void (await store.updateJob(tx, id, { total, listed_at: step.now().toISOString(), ...renewed(step) }))
  }
  const { items, next } =
    request.kind === 'empty_bucket' && versioning !== null
      ? await versionItems(step, bucketId, request, job.listed_to)
      : await objectItems(step, bucketId, request, job.listed_to)
  // A dry run only counts them.
  if (!request.dry_run)
    await itemStore.insertItems(
      tx,
      items.map((item, i) => ({ ...item, job_id: id, position: job.total + i + 1 })),
    )
  await store.updateJob(tx, id, {
    total: job.total + items.length,
    listed_to: next,
    ...(next === null ? { listed_at: step.now().toISOString(), selection: store.NO_SELECTION } : {}),
    ...(next === null && request.dry_run ? { position: job.total + items.length } : {}),
    ...renewed(step),
  })
}

type NewItems = {
  items: (Omit<itemStore.Item, 'job_id' | 'position' | 'moment' | 'seen' | 'dest_key' | 'kept'> & {
    seen?: number | null
  })[]
  next: string | null
}

async function objectItems(step: Upkeep, bucketId: string, request: CreateJob, to: string | null): Promise<NewItems> {
  const { keys, next } = await listStep(step, bucketId, request, to)
  const seen = new Map((await findStates(step.tx, bucketId, keys)).map((one) => [one.key, one]))
  const items = keys.map((key) => {
    // There may be nothing under a named key.
    const { blob_id = NIL_ID, last_modified = null, moment = null } = seen.get(key) ?? {}
    // Only tags themselves, a query, or a user who approved it, may be about what changes without the others.
    const asksMore = request.kind === 'tag' || request.query !== undefined || request.approved !== undefined
    return { key, blob_id, last_modified, version_id: null, seen: asksMore ? moment : null }
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
