import { formatMoment } from '../../base/moment.ts'
import { notePointed } from '../../blobs/history/note.ts'
import type { Step } from '../../context.ts'
import { countUsage, type HeldBucket, withRoomOfHistory } from '../buckets/service.ts'
import { arriving, nextVersion, retire, sumChanges } from '../history/retire.ts'
import { versionOf } from './describe.ts'
import * as store from './store.ts'

/** A key that becomes what it was at a moment, in microseconds since 1970; `current` is what it is, null for no object. */
export interface Return {
  key: string
  moment: number
  current: store.ObjectRow | null
  wanted: store.ObjectRow
}

/** Step: describes objects again as they were described at a moment; their contents are the same. Records each. */
export function describeBack(step: Step, bucket: HeldBucket, returns: readonly Return[], job_id: string): void {
  for (const { key, current, wanted, moment } of returns) {
    const row = current ?? wanted
    const { content_type, headers, metadata, tags, storage_class, acl, last_modified, checksums } = wanted
    step.awaitAtCommit(
      store.describeAs(step.tx, row, {
        content_type,
        headers,
        metadata,
        tags,
        storage_class,
        acl,
        // Of a version only the tags can have changed, which changes no time.
        last_modified: bucket.versioning === null ? last_modified : row.last_modified,
        checksums,
      }),
    )
    const details = { size: row.size, to: formatMoment(moment), ...versionOf(bucket.versioning, row), job_id }
    step.record({ name: 'restore', bucket: bucket.name, key, details })
  }
}

/**
 * Step: makes former contents the objects of their keys, which are locked as far as they have one, and records each. Where
 * versions are kept, as new ones that are written now; otherwise with the times that they had.
 */
export async function bringBack(
  step: Step,
  bucket: HeldBucket,
  returns: readonly Return[],
  job_id: string,
): Promise<void> {
  const { tx, record, awaitAtCommit } = step
  if (returns.length === 0) return
  const now = step.now().toISOString()
  const written = { created_at: now, last_modified: now, created_by: step.actor.user_id }
  const rows = returns.map(({ wanted }): store.ObjectRow => {
    const row = { ...wanted, ...nextVersion(step, bucket) }
    return bucket.versioning === null ? row : { ...row, ...written }
  })
  const replaced = returns.flatMap(({ current }) => current ?? [])
  const leaving = replaced.map(({ key }) => key)
  const keys = rows.map(({ key }) => key)
  const { trashIds, change } = await retire(step, bucket, replaced, { reason: 'overwritten', job_id, keys })
  const inserted = await store.placeObjects(tx, rows, leaving)
  // Another request has taken a key that was free: the step is tried again, and finds it changed.
  if (inserted.length < rows.length) throw new Error('A key was taken meanwhile')
  const freed = await notePointed(
    step,
    rows.map(({ blob_id }) => blob_id),
  )
  const objects = rows.length - replaced.length
  const held = withRoomOfHistory(bucket, freed.get(bucket.id) ?? 0)
  awaitAtCommit(countUsage(tx, held, { ...sumChanges(change, arriving(rows)), objects }))
  const trashOf = new Map(leaving.map((key, i) => [key, trashIds[i]]))
  for (const [i, { key, current, wanted, moment }] of returns.entries()) {
    const trash_id = trashOf.get(key)
    record({
      name: 'restore',
      bucket: bucket.name,
      key,
      details: {
        size: wanted.size,
        to: formatMoment(moment),
        ...versionOf(bucket.versioning, rows[i] ?? wanted),
        ...(current && { replaced: true as const }),
        ...(trash_id && { replaced_trash_id: trash_id }),
        job_id,
      },
    })
  }
}
