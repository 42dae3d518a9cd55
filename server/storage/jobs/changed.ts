// What jobs list that are about what has changed: the changed keys, step by step.
import { decodeCursor, encodeCursor } from '../../base/cursor.ts'
import type { Upkeep } from '../../context.ts'
import { reachOf } from '../../iam/decide.ts'
import { type ChangedPlace, changedKeys } from '../history/former/changed-keys.ts'
import type { Span } from '../history/former/changes-store.ts'
import type { CreateJob } from './request.ts'

/** Where a job's list is. */
export function placeOf(listedTo: string | null): ChangedPlace | undefined {
  const [from, dense] = decodeCursor(listedTo ?? undefined, 2) ?? []
  return from === undefined ? undefined : { from, dense: dense === 'dense' }
}
export const listedTo = (place: ChangedPlace | null): string | null =>
  place && encodeCursor([place.from, place.dense ? 'dense' : ''])

/** Step: the next keys of a job's source that changed between two moments, of those that the creator sees. */
export async function nextKeys(
  { tx, actor }: Upkeep,
  span: Span,
  { source_bucket, prefix = '' }: Pick<CreateJob, 'source_bucket' | 'prefix'>,
  place: ChangedPlace | undefined,
) {
  const listed = reachOf(actor, 'list', source_bucket, prefix)
  const ranges = listed.length > 0 ? listed : reachOf(actor, 'read', source_bucket, prefix)
  const { value } = await changedKeys(tx, span, ranges, place).next()
  return value ?? { keys: [], next: null }
}
