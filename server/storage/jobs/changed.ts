// What jobs list that are about what has changed: the changed keys, step by step.
import { decodeCursor, encodeCursor } from '../../base/cursor.ts'
import type { Upkeep } from '../../context.ts'
import type { NewRow } from '../../db/schema.ts'
import { type Reach, reachOf } from '../../iam/decide.ts'
import { renewed } from '../../work/lease.ts'
import { type HeldBucket, quotaExceeded, roomOf } from '../buckets/service.ts'
import { type ChangedPlace, changedKeys } from '../history/former/changed-keys.ts'
import type { Span } from '../history/former/changes-store.ts'
import type { ItemError } from '../objects/item-error.ts'
import { assertAsPlanned, withDigest } from './as-planned.ts'
import { noted } from './failures.ts'
import { insertItems } from './items/store.ts'
import type { CreateJob } from './request.ts'
import * as store from './store.ts'

/** Where a job's list is. */
export function placeOf(listedTo: string | null): ChangedPlace | undefined {
  const [from, dense] = decodeCursor(listedTo ?? undefined, 2) ?? []
  return from === undefined ? undefined : { from, dense: dense === 'dense' }
}
const listedTo = (place: ChangedPlace | null): string | null =>
  place && encodeCursor([place.from, place.dense ? 'dense' : ''])

/** Where in a job's source its creator sees keys. */
export function visibleRanges(
  { actor }: Pick<Upkeep, 'actor'>,
  { source_bucket, prefix = '' }: Pick<CreateJob, 'source_bucket' | 'prefix'>,
): readonly Reach[] {
  const listed = reachOf(actor, 'list', source_bucket, prefix)
  return listed.length > 0 ? listed : reachOf(actor, 'read', source_bucket, prefix)
}

/** Step: the next keys of a job's source that changed between two moments, of those that the creator sees. */
export async function nextKeys(
  step: Upkeep,
  span: Span,
  request: Pick<CreateJob, 'source_bucket' | 'prefix'>,
  place: ChangedPlace | undefined,
) {
  const { value } = await changedKeys(step.tx, span, visibleRanges(step, request), place).next()
  return value ?? { keys: [], next: null }
}

/** The sums of a plan that every such list has. */
interface Sums {
  replaced: { objects: number; bytes_before: number; bytes_after: number }
  deleted: { objects: number; bytes: number }
}
type Sized = { size: number } | null

/** Adds to the sums of a plan that a key is to change from one object to another; `coming` is for those that replace none. */
export function addTurn(
  { replaced, deleted }: Sums,
  coming: Sums['deleted'],
  { current, wanted }: { current: Sized; wanted: Sized },
): void {
  if (current && wanted) {
    replaced.objects++
    replaced.bytes_before += current.size
    replaced.bytes_after += wanted.size
    return
  }
  const [sum, one] = wanted ? [coming, wanted] : [deleted, current]
  if (!one) return
  sum.objects++
  sum.bytes += one.size
}

/** What one step of such a list has found. */
interface Listed {
  /** The plan of the whole, with what the step adds. */
  plan: { growth_bytes: number }
  /** What is to be done. */
  items: readonly Pick<NewRow<'job_items'>, 'key' | 'moment' | 'seen' | 'dest_key' | 'kept'>[]
  errors: readonly ItemError[]
  /** Where the list goes on; null when it is whole. */
  next: ChangedPlace | null
}

/**
 * Step: writes down what a step of a list has found, which is to be done in `bucket`. A dry run ends with its list. Throws
 * quota_exceeded where the whole would not fit, and conflict where it is not what a dry run has planned.
 */
export async function noteListed(
  step: Upkeep,
  job: store.JobRow,
  { dry_run = false, planned }: Pick<CreateJob, 'dry_run' | 'planned'>,
  { bucket, plan: sums, items, errors, next }: Listed & { bucket: HeldBucket },
): Promise<void> {
  const plan = withDigest(job.plan, sums, [items, errors.map(({ key, code }) => [key, code])])
  const room = roomOf(bucket)
  const isLast = next === null
  if (isLast && !dry_run && room !== null && plan.growth_bytes > Math.max(0, room))
    throw quotaExceeded(bucket.name, room, plan.growth_bytes)
  if (isLast && planned !== undefined) await assertAsPlanned(step, planned, plan)
  if (!dry_run)
    await insertItems(
      step.tx,
      items.map((item, i) => ({
        ...item,
        job_id: job.id,
        position: job.total + i + 1,
        blob_id: null,
        last_modified: null,
        version_id: null,
      })),
    )
  const total = job.total + items.length + errors.length
  await store.updateJob(step.tx, job.id, {
    total,
    plan: JSON.stringify(plan),
    listed_to: listedTo(next),
    ...noted(job, errors),
    ...(isLast && { listed_at: step.now().toISOString(), selection: store.NO_SELECTION }),
    ...(isLast && dry_run && { position: total }),
    ...renewed(step),
  })
}
