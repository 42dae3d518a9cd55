import type { Step } from '../../../context.ts'
import { type HeldBucket, quotaExceeded, roomOf } from '../../buckets/service.ts'
import { forgetMerged } from '../../forks/merged.ts'
import { lockKeys } from '../../history/keys.ts'
import { bringBack, describeBack, type Return } from '../../objects/bring-back.ts'
import { type ItemError, itemError } from '../../objects/item-error.ts'
import { removeObjects } from '../../objects/service.ts'
import { withKeys } from '../../objects/store.ts'
import { changedSince } from '../failures.ts'
import { holdSource } from '../held.ts'
import type { Item } from '../items/store.ts'
import type { CreateJob } from '../request.ts'
import { decide, isInPlace, type Turn } from './decide.ts'
import { growthOf } from './plan.ts'

/**
 * Step: makes the keys of these items what they were at the moment of each, and records each. One that has changed since it was
 * listed, or that cannot go back, is left alone and gets an error. Bytes are shared with the trash, the versions or other
 * objects that have them.
 */
export async function rollbackStep(
  step: Step,
  request: CreateJob,
  items: readonly Item[],
  job_id: string,
): Promise<{ done: number; errors: ItemError[] }> {
  const { tx } = step
  const { keep_new: keepNew = false, of } = request
  const bucket = await holdSource(tx, request)
  const keys = items.map(({ key }) => key)
  if (keys.length === 0) return { done: 0, errors: [] }
  await lockKeys(tx, [bucket, keys])
  const rows = await withKeys(tx, { bucketId: bucket.id, keys }).forUpdate().execute()
  const current = new Map(rows.map((row) => [row.key, row]))
  const [same, others] = [[] as Item[], [] as Item[]]
  for (const item of items) (isAsSeen(item, current.get(item.key)?.moment) ? same : others).push(item)
  const asked = same.map(({ key, moment }) => ({ key, moment: Number(moment) }))
  const { turns, errors } = await decide(step, bucket, asked, { current, keepNew })
  const gone = turns.flatMap((turn) => (turn.wanted ? [] : (turn.current ?? [])))
  await removeObjects(step, bucket, gone, { job_id })
  // Held again, with the room that they leave.
  const held = gone.length > 0 && roomOf(bucket) !== null ? await holdSource(tx, request) : bucket
  const { fitting, refused } = withinRoom(held, turns.filter(isReturn))
  const { described = [], anew = [] } = Object.groupBy(fitting, (turn) =>
    isInPlace(bucket, turn) ? 'described' : 'anew',
  )
  describeBack(step, held, described, job_id)
  await bringBack(step, held, anew, job_id)
  const failed = [...others.map(changedSince), ...errors, ...refused]
  // What it undoes may have been a merge: of these keys, there is nothing left of that.
  if (of !== undefined)
    await forgetMerged(
      step,
      of,
      [...gone, ...fitting].map(({ key }) => key),
    )
  return { done: items.length - failed.length, errors: failed }
}

const isReturn = (turn: Turn): turn is Turn & Return => turn.wanted !== null

const isAsSeen = ({ seen }: Item, moment: number | undefined): boolean =>
  seen === null ? moment === undefined : moment !== undefined && Number(seen) === Number(moment)

/** Those that fit into the bucket's room, first those that leave some. */
function withinRoom(bucket: HeldBucket, turns: readonly (Turn & Return)[]) {
  const room = roomOf(bucket)
  const refused: ItemError[] = []
  if (room === null) return { fitting: turns, refused }
  const sized = turns.map((turn) => ({ turn, growth: growthOf(bucket, turn) }))
  let growth = 0
  const fitting = sized
    .toSorted((a, b) => a.growth - b.growth)
    .filter(({ turn, growth: more }) => {
      const isRefused = more > 0 && growth + more > room
      if (isRefused) refused.push(itemError(turn.key, quotaExceeded(bucket.name, room - growth, more)))
      else growth += more
      return !isRefused
    })
  return { fitting: fitting.map(({ turn }) => turn), refused }
}
