import type { Step, Upkeep } from '../../../context.ts'
import { type HeldBucket, holdBucket, roomOf } from '../../buckets/service.ts'
import { noteMerged } from '../../forks/merged.ts'
import { lockKeys } from '../../history/keys.ts'
import { isKept } from '../../history/retire.ts'
import { isTrashed } from '../../history/trash/service.ts'
import { findLocked } from '../../locks/gate.ts'
import { type ItemError, itemError } from '../../objects/item-error.ts'
import { removeObjects } from '../../objects/service.ts'
import { type ObjectRow, withKeys } from '../../objects/store.ts'
import type { Copies } from '../../objects/transfers/copies.ts'
import { transferObjects } from '../../objects/transfers/transfer.ts'
import { changedSince } from '../failures.ts'
import type { Item } from '../items/store.ts'
import type { CreateJob } from '../request.ts'
import { nameTaken, refusalOf, type Turn } from './decide.ts'
import { holdPair } from './hold.ts'
import { growthOf } from './plan.ts'

/**
 * Step: has these keys of an origin become what they are in its fork, and records each. One that has changed since it was
 * listed, in either, is left alone and gets an error. Bytes are shared, unless the origin's storage or encryption asks for
 * copies of them.
 */
export async function mergeStep(
  step: Step,
  request: CreateJob,
  items: readonly Item[],
  { job_id, copies }: { job_id: string; copies: Copies },
): Promise<{ done: number; errors: ItemError[] }> {
  const { buckets, forkId, turns, errors } = await lockTurns(step, request, items)
  const [fork, origin] = buckets
  const leaving = turns.flatMap(({ current }) => (current && !isKept(origin, current) ? [current] : []))
  const locked = await findLocked(step, leaving, { ends: !isTrashed(origin) })
  for (const [{ key }, fault] of locked) errors.push(itemError(key, fault))
  const free = turns.filter(({ current }) => !current || !locked.has(current))
  const gone = free.filter(({ wanted }) => !wanted)
  await removeObjects(
    step,
    origin,
    gone.flatMap(({ current }) => current ?? []),
    { job_id },
  )
  const coming = free.filter(({ wanted }) => wanted)
  const { beside = [], over = [] } = Object.groupBy(coming, ({ key, dest }) => (key === dest ? 'over' : 'beside'))
  const placed = new Set(gone.map(({ key }) => key))
  for (const [some, ifNoneMatch] of [
    [over.toSorted((a, b) => growthOf(origin, a) - growthOf(origin, b)), false],
    [beside, true],
  ] as const) {
    if (some.length === 0) continue
    const outcome = await transferObjects(step, [fork, await withRoom(step, origin)], some, {
      kind: 'copy',
      ifNoneMatch,
      // Who may see an object of the origin is not a matter of its contents.
      change: (_row, replaced) => ({ acl: replaced?.acl ?? null }),
      copies,
      job_id,
    })
    for (const { pair } of outcome.placed) placed.add(pair.key)
    const destOf = new Map(some.map(({ key, dest }) => [key, dest]))
    for (const error of outcome.errors)
      errors.push(error.code === 'precondition_failed' ? nameTaken(error.key, destOf.get(error.key) ?? '') : error)
  }
  const merged = free.filter(({ key }) => placed.has(key))
  await noteMerged(
    step,
    { forkId, job_id },
    merged.map((turn) => ({ ...notedOf(turn), is: isOf(turn) })),
  )
  return { done: merged.length, errors }
}

const isOf = ({ key, dest, wanted }: Turn) => (dest !== key ? 'as_it_was' : wanted ? 'there' : 'gone')

/**
 * Step: notes of these keys that conflicts were decided for the origin, of which nothing changes. One that has changed since it
 * was listed is left alone and gets an error.
 */
export async function keepStep(
  step: Upkeep,
  request: CreateJob,
  items: readonly Item[],
  { job_id }: { job_id: string },
): Promise<{ done: number; errors: ItemError[] }> {
  const { forkId, turns, errors } = await lockTurns(step, request, items)
  await noteMerged(
    step,
    { forkId, job_id },
    turns.map((turn) => ({ ...notedOf(turn), is: 'as_it_was' })),
  )
  return { done: turns.length, errors }
}

const notedOf = ({ key, dest, wanted, origin }: Turn) => ({
  key,
  origin_key: dest,
  fork_moment: Number(wanted?.moment ?? 0),
  was_moment: Number(origin?.moment ?? 0),
})

/** Step: locks keys in both buckets; those that have changed since they were listed, or that the actor may not change, get errors. */
async function lockTurns(step: Upkeep, request: CreateJob, items: readonly Item[]) {
  const { tx } = step
  const { buckets, pair } = await holdPair(tx, request)
  const [fork, origin] = buckets
  const keys = items.map(({ key }) => key)
  const dests = items.flatMap(({ dest_key }) => dest_key ?? [])
  await lockKeys(tx, [fork, keys], [origin, [...keys, ...dests]])
  const ofFork = byKey(await withKeys(tx, { bucketId: fork.id, keys }).forShare().execute())
  const ofOrigin = byKey(await withKeys(tx, { bucketId: origin.id, keys }).forUpdate().execute())
  const errors: ItemError[] = []
  const turns: Turn[] = []
  for (const { key, moment, seen, dest_key } of items) {
    const [wanted, there] = [ofFork.get(key) ?? null, ofOrigin.get(key) ?? null]
    const turn = { key, dest: dest_key ?? key, wanted, origin: there, current: dest_key === null ? there : null }
    const isAsListed =
      Number(wanted?.moment ?? 0) === Number(moment) && Number(there?.moment ?? 0) === Number(seen ?? 0)
    const fault = isAsListed ? refusalOf(step, buckets, turn) : changedSince({ key })
    if (fault) errors.push(fault)
    else turns.push(turn)
  }
  return { buckets, forkId: pair.forkId, turns, errors }
}

/** The bucket, held again where it has a quota: with the room that is left by now. */
const withRoom = async ({ tx }: Step, origin: HeldBucket): Promise<HeldBucket> =>
  roomOf(origin) === null ? origin : holdBucket(tx, origin.name)

const byKey = <R extends ObjectRow>(rows: readonly R[]): Map<string, R> => new Map(rows.map((row) => [row.key, row]))
