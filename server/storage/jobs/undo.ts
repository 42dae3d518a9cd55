import type { Step } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { countMarkers } from '../history/store.ts'
import { countDeleted } from '../history/trash/store.ts'
import type { ItemError } from '../objects/item-error.ts'
import type { Copies } from '../objects/transfers/copies.ts'
import { lockUnchanged, transferObjects } from '../objects/transfers/transfer.ts'
import { restoreDeleted, restoreItems } from '../restore/items.ts'
import { unmarkStep } from '../versions/remove-markers.ts'
import { holdBoth, holdSource } from './held.ts'
import * as itemStore from './items/store.ts'
import type { CreateJob } from './request.ts'
import type * as store from './store.ts'

/** A step's outcome: how many objects succeeded, which failed and why, and the job's new position. */
export interface Outcome {
  done: number
  errors: readonly ItemError[]
  progress: { position: number; total?: number; listed_to?: string }
  /** Nothing had to be changed, so there is nothing to record. */
  isUnchanged?: boolean
  /** Moves of another job that need no more undoing. */
  settled?: { by: string; positions: readonly number[] }
}

/** What a step is to do: at most `size` objects, with the copies it needs on another storage. */
export interface Work {
  request: CreateJob
  size: number
  copies: Copies
}

/** The job or policy run that a restore undoes. */
const undoneBy = ({ of, of_run }: CreateJob): string => of ?? of_run?.run_id ?? ''

/** Counts the objects that a restore's job or run moved or deleted and that may be restored to a bucket. */
export async function countUndoable(tx: Tx, request: CreateJob, bucketId: string): Promise<number> {
  const by = { by: undoneBy(request), bucketId }
  return (await itemStore.countMoves(tx, by.by)) + (await countDeleted(tx, by)) + (await countMarkers(tx, by))
}

/**
 * Step: restores the next objects that a job moved or deleted, or a policy run deleted. Moves come first, latest first:
 * each object returns to where it was just before, and the one it replaced is restored after it, so that nothing the job
 * itself did is in the way. Then come the objects left in the trash, and then the delete markers. `listed_to` is null,
 * then `#` and a position, then a trash id, then `@` and a marker's number. Others may have restored some of what was
 * counted, so the end is reached when nothing more is found.
 */
export async function undoStep(step: Step, job: store.JobRow, work: Work): Promise<Outcome> {
  const { tx } = step
  const { request, size: limit } = work
  const { listed_to: at, position: before } = job
  const [by, more] = [undoneBy(request), { job_id: job.id }]
  const isAtMoves = at === null || at.startsWith('#')
  if (isAtMoves) {
    const moves = uniqueKeys(await itemStore.lockMoves(tx, by, at === null ? null : Number(at.slice(1)), limit))
    if (moves.length > 0) return moveBack(step, work, { moves, before }, more)
  }
  const bucket = await holdSource(tx, request)
  const isAtMarkers = at?.startsWith('@') ?? false
  if (!isAtMarkers) {
    const after = isAtMoves ? '' : at
    const { restored, errors, last } = await restoreDeleted(step, bucket, { by, after, limit }, more)
    if (last !== null)
      return { done: restored, errors, progress: { position: before + restored + errors.length, listed_to: last } }
  }
  const after = isAtMarkers ? Number(at?.slice(1)) : 0
  const { removed, errors, last } = await unmarkStep(step, bucket, { by, after, limit }, more)
  if (last === null) return { done: 0, errors, progress: { position: before, total: before } }
  return { done: removed, errors, progress: { position: before + removed + errors.length, listed_to: `@${last}` } }
}

/** The leading moves with distinct keys: what was moved to a key later must leave it before what was there earlier. */
function uniqueKeys(moves: readonly itemStore.Move[]): readonly itemStore.Move[] {
  const seen = new Set<string>()
  const end = moves.findIndex(({ key }) => seen.size === seen.add(key).size)
  return end < 0 ? moves : moves.slice(0, end)
}

/**
 * Step: moves back objects that are unchanged since the move. What has changed, moved on or gone since is left alone.
 */
async function moveBack(
  step: Step,
  { request, copies }: Work,
  { moves, before }: { moves: readonly itemStore.Move[]; before: number },
  more: { job_id: string },
): Promise<Outcome> {
  const { tx } = step
  const { of = '' } = request
  const buckets = await holdBoth(tx, request, 'move')
  const unchanged = await lockUnchanged(tx, buckets[0], moves)
  const same = moves.filter(({ key }) => unchanged.has(key))
  const pairs = same.map(({ key, source_key: dest }) => ({ key, dest }))
  const options = { kind: 'move', ifNoneMatch: true, copies, ...more } as const
  const { placed, errors: stayed } = await transferObjects(step, buckets, pairs, options)
  const left = new Set(placed.map(({ pair }) => pair.key))
  const replaced = same.flatMap(({ key, trash_id }) => (left.has(key) && trash_id !== null ? [trash_id] : []))
  // Locked again, with the room that the objects moved out have freed.
  const bucket = replaced.length > 0 ? await holdSource(tx, request) : buckets[0]
  const { restored, errors: taken } = await restoreItems(step, bucket, replaced, more)
  const stays = new Set(stayed.map(({ key }) => key))
  const [done, errors] = [placed.length + restored, [...stayed.map(asTaken), ...taken]]
  return {
    done,
    errors,
    progress: { position: before + done + errors.length, listed_to: `#${moves.at(-1)?.position}` },
    settled: { by: of, positions: moves.filter(({ key }) => !stays.has(key)).map(({ position }) => position) },
  }
}

/** The request had no condition: nothing is ever restored over another object, so a taken key is reported as such. */
const asTaken = (error: ItemError): ItemError =>
  error.code === 'precondition_failed' ? { ...error, code: 'already_exists' } : error
