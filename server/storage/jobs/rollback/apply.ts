// One step of a rollback: makes the next keys what they were.
import { findPointed } from '../../../blobs/pointers.ts'
import { refusal, type Step } from '../../../context.ts'
import { assertRoom, countUsage, type HeldBucket, holdBucket, roomOf } from '../../buckets/service.ts'
import { asOf } from '../../history/former/as-of.ts'
import { lockKeys } from '../../history/keys.ts'
import { arriving, nextVersion, retire, sumChanges } from '../../history/retire.ts'
import { erasedSince } from '../../objects/absence.ts'
import { type ItemError, itemError } from '../../objects/item-error.ts'
import { unchangedSince } from '../../objects/object-state.ts'
import { removeObjects } from '../../objects/service.ts'
import * as objects from '../../objects/store.ts'
import type * as itemStore from '../items/store.ts'

/** What became of the keys of a step. */
export interface RolledBack {
  done: number
  errors: ItemError[]
}

/** A key, what it is and what it is to be; null for no object. */
interface Turn {
  key: string
  current: objects.ObjectRow | null
  wanted: objects.ObjectRow | null
}

/**
 * Step: makes the keys of these items what they were at the moment of each. One that has changed since it was listed, whose
 * contents were erased, that the actor may not change, or for which there is no room is left alone and gets an error.
 * Bytes are shared with the trash, the versions or other objects that have them.
 */
export async function rollbackStep(
  step: Step,
  bucketName: string,
  items: readonly itemStore.Item[],
  more: { job_id: string },
): Promise<RolledBack> {
  const { tx } = step
  const bucket = await holdBucket(tx, bucketName)
  const keys = items.map(({ key }) => key)
  await lockKeys(tx, [bucket, keys])
  const there = await objects.lockObjects(tx, bucket.id, keys)
  const seen = new Map(items.flatMap(({ key, blob_id, last_modified }) => (last_modified === null ? [] : [[key, { key, blob_id: blob_id ?? '', last_modified }] as const])))
  const { rows: same, changed: errors } = unchangedSince(there, seen)
  const current = new Map(same.map((row) => [row.key, row]))
  const left = new Set(errors.map(({ key }) => key))
  const wanted = await statesOf(step, bucket, items)
  const turns: Turn[] = []
  for (const { key, last_modified } of items) {
    if (left.has(key)) continue
    const [now, then] = [current.get(key) ?? null, wanted.rows.get(key) ?? null]
    // Nothing was here when it was listed, or something that is gone by now.
    if ((now === null) !== (last_modified === null)) {
      if (now !== null || then === null) {
        errors.push({ key, code: 'changed', detail: `The object "${key}" has changed since it was listed.` })
        continue
      }
    }
    const refused = refusal(step.actor, then ? 'write' : 'delete', bucket.name, key)
    if (refused) errors.push(itemError(key, refused))
    else if (then && !wanted.kept.has(then.blob_id)) errors.push(itemError(key, erasedSince(key)))
    else if (now || then) turns.push({ key, current: now, wanted: then })
  }
  const fitting = withinRoom(bucket, turns, errors)
  await remove(step, bucket, fitting, more)
  await bringBack(step, bucket, fitting, more)
  return { done: fitting.length, errors }
}

/** What the keys of items were at the moment of each, and which blobs are still there. */
async function statesOf({ tx }: Step, { id: bucketId }: HeldBucket, items: readonly itemStore.Item[]) {
  const rows = new Map<string, objects.ObjectRow>()
  for (const [moment, those] of Map.groupBy(items, (item) => Number(item.moment)))
    for (const row of await objects.findObjects(
      asOf(tx, { bucketId, moment }),
      bucketId,
      those.map(({ key }) => key),
    ))
      rows.set(row.key, row)
  return { rows, kept: await findPointed(tx, [...new Set([...rows.values()].map(({ blob_id }) => blob_id))]) }
}

/** The turns that fit into the bucket's room, in order; the others get errors. */
function withinRoom(bucket: HeldBucket, turns: readonly Turn[], errors: ItemError[]): Turn[] {
  const room = roomOf(bucket)
  if (room === null) return [...turns]
  let growth = 0
  return turns.filter(({ key, current, wanted }) => {
    const more = (wanted?.size ?? 0) - (bucket.versioning === null ? (current?.size ?? 0) : 0)
    try {
      assertRoom(bucket.name, room, growth + more)
    } catch (error) {
      errors.push(itemError(key, error as never))
      return false
    }
    growth += more
    return true
  })
}

const rowsToRemove = (turns: readonly Turn[]) => turns.flatMap(({ current, wanted }) => (current && !wanted ? [current] : []))

async function remove(step: Step, bucket: HeldBucket, turns: readonly Turn[], more: { job_id: string }): Promise<void> {
  await removeObjects(step, bucket, rowsToRemove(turns), more)
}

async function bringBack(step: Step, bucket: HeldBucket, turns: readonly Turn[], { job_id }: { job_id: string }) {
  const { tx, record, awaitAtCommit } = step
  const coming = turns.flatMap(({ current, wanted }) => (wanted ? [{ current, wanted }] : []))
  if (coming.length === 0) return
  const now = step.now().toISOString()
  // A version is a new one, written now, as S3 has it.
  const rows = coming.map(({ wanted }) =>
    bucket.versioning === null
      ? { ...wanted, ...nextVersion(step, bucket) }
      : { ...wanted, ...nextVersion(step, bucket), created_at: now, last_modified: now, created_by: step.actor.user_id },
  )
  const replaced = coming.flatMap(({ current }) => current ?? [])
  awaitAtCommit(objects.deleteObjects(tx, bucket.id, replaced.map(({ key }) => key)))
  const removal = { reason: 'overwritten', job_id, keys: rows.map(({ key }) => key) } as const
  const { trashIds, change } = await retire(step, bucket, replaced, removal)
  const inserted = await objects.insertObjects(tx, rows)
  if (inserted.length < rows.length) throw new Error('A key was taken although it was locked')
  awaitAtCommit(
    countUsage(tx, bucket, { ...sumChanges(change, arriving(rows)), objects: rows.length - replaced.length }),
  )
  const trashOf = new Map(replaced.map(({ key }, i) => [key, trashIds[i] ?? null]))
  for (const { current, wanted } of coming)
    record({
      name: 'restore',
      bucket: bucket.name,
      key: wanted.key,
      details: {
        size: wanted.size,
        job_id,
        ...(current ? { replaced: true as const } : {}),
        ...(trashOf.get(wanted.key) ? { replaced_trash_id: trashOf.get(wanted.key) as string } : {}),
      },
    })
}
