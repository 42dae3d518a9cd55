import { refusal, type Step } from '../../context.ts'
import { countUsage, type HeldBucket, quotaExceeded, roomOf } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import { arriving, noChange, sumChanges } from '../history/retire.ts'
import { deleteTrashRows, lockItems } from '../history/trash/service.ts'
import * as store from '../history/trash/store.ts'
import { type ItemError, itemError } from '../objects/item-error.ts'
import { reinstateAll } from '../objects/service.ts'
import { findObjects } from '../objects/store.ts'

/**
 * The next deletions of a job or policy run: `limit` items after the id `after`. `last` returns the id to continue after.
 */
export interface Deleted {
  by: string
  after: string
  limit: number
}
interface Outcome {
  restored: number
  errors: ItemError[]
}

/** Step: restores the next objects that a job or policy run deleted. */
export async function restoreDeleted(
  step: Step,
  bucket: HeldBucket,
  deleted: Deleted,
  more: { job_id: string },
): Promise<Outcome & { last: string | null }> {
  const { tx } = step
  // Ids first: in one query with the rows, items that other requests take meanwhile would look like the end.
  const ids = await store.listDeleted(tx, { ...deleted, bucketId: bucket.id })
  return { ...(await restoreItems(step, bucket, ids, more)), last: ids.at(-1) ?? null }
}

/**
 * Step: restores objects from the trash under their keys. An item that the actor may not write, whose key is taken, or
 * that exceeds the quota stays in the trash and gets an error; an item that is gone gets none.
 */
export async function restoreItems(
  step: Step,
  bucket: HeldBucket,
  ids: readonly string[],
  more: { job_id: string },
): Promise<Outcome> {
  const { tx, record } = step
  if (ids.length === 0) return { restored: 0, errors: [] }
  const rows = await lockItems(tx, bucket.id, ids)
  await lockKeys(tx, [bucket, rows.map(({ key }) => key)])
  const { accepted, errors } = await choose(step, bucket, rows)
  const { objects: free, change } = await reinstateAll(
    step,
    bucket,
    accepted.map(({ id: _id, reason: _reason, deleted_at: _at, deleted_by: _by, job_id: _job, ...row }) => row),
  )
  // Other requests created these keys between our read and our insert.
  errors.push(...accepted.filter(({ key }) => !free.has(key)).map(taken))
  const restored = accepted.filter(({ key }) => free.has(key))
  if (restored.length > 0) {
    const came = arriving(restored)
    await countUsage(tx, bucket, {
      ...sumChanges(change, came, { ...noChange, trash_bytes: -came.bytes }),
      objects: restored.length,
    })
    await deleteTrashRows(
      tx,
      restored.map(({ id }) => id),
    )
  }
  for (const { id, key, size } of restored)
    record({ name: 'restore', bucket: bucket.name, key, details: { size, trash_id: id, ...more } })
  return { restored: restored.length, errors }
}

const taken = ({ key }: store.TrashRow): ItemError => ({
  key,
  code: 'already_exists',
  detail: `The key "${key}" is taken by another object.`,
})

/** Decides for each item, in order, whether it can be restored along with those before it. */
async function choose(step: Step, bucket: HeldBucket, rows: readonly store.TrashRow[]) {
  const { tx } = step
  const { name } = bucket
  const keys = rows.map(({ key }) => key)
  const filled = new Set((await findObjects(tx, bucket.id, keys)).map(({ key }) => key))
  const room = roomOf(bucket)
  const accepted: store.TrashRow[] = []
  const errors: ItemError[] = []
  let bytes = 0
  for (const row of rows) {
    const { key, size } = row
    const refused = refusal(step.actor, 'write', name, key)
    if (refused) errors.push(itemError(key, refused))
    else if (filled.has(key)) errors.push(taken(row))
    else if (room !== null && size > 0 && bytes + size > room)
      errors.push(itemError(key, quotaExceeded(name, room - bytes, size)))
    else {
      filled.add(key)
      bytes += size
      accepted.push(row)
    }
  }
  return { accepted, errors }
}
