// The list of a merge: the keys that a fork has changed and that are to change in its origin.
import type { Upkeep } from '../../../context.ts'
import { holdBuckets } from '../../buckets/service.ts'
import { compareKeys, pairOf } from '../../forks/compare.ts'
import { nextKeys, noteListed, placeOf } from '../changed.ts'
import type { CreateJob } from '../request.ts'
import type * as jobStore from '../store.ts'
import { decideMerge } from './decide.ts'
import { extended } from './plan.ts'

/**
 * Step: lists the next keys of a merge, and adds what becomes of them to the job's plan. A dry run ends with its list. Throws
 * quota_exceeded where the whole would not fit into the origin.
 */
export async function listMerge(step: Upkeep, job: jobStore.JobRow, request: CreateJob): Promise<void> {
  const { tx } = step
  const { source_bucket, dest_bucket = '', on_conflict, decisions = [] } = request
  const buckets = await holdBuckets(tx, source_bucket, dest_bucket, 'copy')
  const [fork, origin] = buckets
  const pair = await pairOf(tx, fork)
  const span = { bucketId: fork.id, from: pair.begun, to: Number.MAX_SAFE_INTEGER }
  const { keys, next } = await nextKeys(step, span, request, placeOf(job.listed_to))
  const compared = await compareKeys(tx, pair, keys)
  const of = new Map(decisions.map((one) => [one.key, one]))
  const decided = await decideMerge(step, buckets, compared, { of, others: on_conflict })
  const { turns, errors } = decided
  const items = turns.map(({ key, dest, wanted, origin: there }) => ({
    key,
    moment: Number(wanted?.moment ?? 0),
    seen: there && Number(there.moment),
    dest_key: dest === key ? null : dest,
  }))
  await noteListed(step, job, request, {
    bucket: origin,
    plan: extended(job.plan, origin, decided),
    items,
    errors,
    next,
  })
}
