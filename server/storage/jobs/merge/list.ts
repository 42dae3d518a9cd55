// The list of a merge: the keys that a fork has changed and that are to change in its origin.
import type { Upkeep } from '../../../context.ts'
import { nextChangedInFork } from '../../forks/changed-keys.ts'
import { compareKeys } from '../../forks/compare.ts'
import { noteListed, placeOf, visibleRanges } from '../changed.ts'
import type { CreateJob } from '../request.ts'
import type * as jobStore from '../store.ts'
import { decideMerge, type Turn } from './decide.ts'
import { holdPair } from './hold.ts'
import { extended } from './plan.ts'

/**
 * Step: lists the next keys of a merge, and adds what becomes of them to the job's plan. A dry run ends with its list. Throws
 * quota_exceeded where the whole would not fit into the origin.
 */
export async function listMerge(step: Upkeep, job: jobStore.JobRow, request: CreateJob): Promise<void> {
  const { tx } = step
  const { on_conflict, decisions = [] } = request
  const { buckets, pair } = await holdPair(tx, request)
  const [, origin] = buckets
  const { keys, next } = await nextChangedInFork(tx, pair, visibleRanges(step, request), placeOf(job.listed_to))
  const compared = await compareKeys(tx, pair, keys)
  const of = new Map(decisions.map((one) => [one.key, one]))
  const decided = await decideMerge(step, buckets, compared, { of, others: on_conflict })
  const { turns, kept, errors } = decided
  const itemOf = ({ key, dest, wanted, origin: there }: Turn) => ({
    key,
    moment: Number(wanted?.moment ?? 0),
    seen: there && Number(there.moment),
    dest_key: dest === key ? null : dest,
  })
  const items = [...turns.map(itemOf), ...kept.map((turn) => ({ ...itemOf(turn), kept: 1 as const }))]
  await noteListed(step, job, request, {
    bucket: origin,
    plan: extended(job.plan, origin, decided),
    items,
    errors,
    next,
  })
}
