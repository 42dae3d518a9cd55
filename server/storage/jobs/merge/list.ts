// The list of a merge: the keys that a fork has changed and that are to change in its origin.
import type { Upkeep } from '../../../context.ts'
import { renewed } from '../../../work/lease.ts'
import { holdBuckets, quotaExceeded, roomOf } from '../../buckets/service.ts'
import { compareKeys, pairOf } from '../../forks/compare.ts'
import { listedTo, nextKeys, placeOf } from '../changed.ts'
import { noted } from '../failures.ts'
import * as itemStore from '../items/store.ts'
import type { CreateJob } from '../request.ts'
import * as jobStore from '../store.ts'
import { decideMerge } from './decide.ts'
import { extended } from './plan.ts'

/**
 * Step: lists the next keys of a merge, and adds what becomes of them to the job's plan. A dry run ends with its list. Throws
 * quota_exceeded where the whole would not fit into the origin.
 */
export async function listMerge(step: Upkeep, job: jobStore.JobRow, request: CreateJob): Promise<void> {
  const { tx } = step
  const { source_bucket, dest_bucket = '', on_conflict, decisions = [], dry_run = false } = request
  const buckets = await holdBuckets(tx, source_bucket, dest_bucket, 'copy')
  const [fork, origin] = buckets
  const pair = await pairOf(tx, fork)
  const span = { bucketId: fork.id, from: pair.begun, to: Number.MAX_SAFE_INTEGER }
  const { keys, next } = await nextKeys(step, span, request, placeOf(job.listed_to))
  const compared = await compareKeys(tx, pair, keys)
  const of = new Map(decisions.map((one) => [one.key, one]))
  const decided = await decideMerge(step, buckets, compared, { of, others: on_conflict })
  const { turns, errors } = decided
  const plan = extended(job.plan, origin, decided)
  const room = roomOf(origin)
  const isLast = next === null
  if (isLast && !dry_run && room !== null && plan.growth_bytes > Math.max(0, room))
    throw quotaExceeded(origin.name, room, plan.growth_bytes)
  const items = turns.map(({ key, dest, wanted, origin: there }, i) => ({
    job_id: job.id,
    position: job.total + i + 1,
    key,
    blob_id: null,
    last_modified: null,
    version_id: null,
    moment: Number(wanted?.moment ?? 0),
    seen: there && Number(there.moment),
    dest_key: dest === key ? null : dest,
  }))
  if (!dry_run) await itemStore.insertItems(tx, items)
  const total = job.total + turns.length + errors.length
  await jobStore.updateJob(tx, job.id, {
    total,
    plan: JSON.stringify(plan),
    listed_to: listedTo(next),
    ...noted(job, errors),
    ...(isLast && { listed_at: step.now().toISOString(), selection: jobStore.NO_SELECTION }),
    ...(isLast && dry_run && { position: total }),
    ...renewed(step),
  })
}
