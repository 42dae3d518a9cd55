import { refusal, type Step } from '../../context.ts'
import type { HeldBucket } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import { lockRows } from '../history/retire.ts'
import { findMarkers, findPlaces } from '../history/store.ts'
import { type ItemError, itemError } from '../objects/item-error.ts'
import { keysOf, removeRows } from './remove.ts'

/**
 * Step: takes away the next delete markers that a job or policy run made, after one: what they hid is there again. One
 * that has been covered since stays and gets an error, as does one whose key the actor may not write; one that is gone
 * gets none. Records each. `last` is null after the last.
 */
export async function unmarkStep(
  step: Step,
  bucket: HeldBucket,
  made: { by: string; after: number; limit: number },
  more: { job_id: string },
): Promise<{ removed: number; errors: ItemError[]; last: number | null }> {
  const { tx } = step
  const errors: ItemError[] = []
  const found = await findMarkers(tx, { ...made, bucketId: bucket.id })
  const allowed = found.filter(({ key }) => {
    const refused = refusal(step.actor, 'write', bucket.name, key)
    if (refused) errors.push(itemError(key, refused))
    return !refused
  })
  await lockKeys(tx, [bucket, keysOf(allowed)])
  const seqs = allowed.map(({ seq }) => seq)
  const [rows, places] = await Promise.all([lockRows(tx, seqs), findPlaces(tx, seqs)])
  const older = rows.filter(({ key, seq }) => {
    const isLatest = places.get(seq)?.covered_at === null
    if (!isLatest) errors.push({ key, code: 'changed', detail: `The key "${key}" has changed since it was deleted.` })
    return isLatest
  })
  if (older.length > 0) await removeRows(step, bucket, { current: [], older, bared: keysOf(older) }, more)
  return { removed: older.length, errors, last: found.at(-1)?.seq ?? null }
}
