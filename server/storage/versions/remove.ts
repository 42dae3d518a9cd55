// Steps that remove versions and make the latest one that is left current again.

import { refusal, type Step } from '../../context.ts'
import { permits } from '../../iam/decide.ts'
import { DELETE_VERSION } from '../../iam/names-of-rights.ts'
import { countUsage, type HeldBucket } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import {
  arriving,
  asObject,
  type Change,
  deleteVersionRows,
  discard,
  discardVersions,
  lockRetired,
  lockRows,
  noChange,
  sumChanges,
} from '../history/retire.ts'
import { findNewest, findPlaces, hasContents, nameOf, type VersionName, type VersionRow } from '../history/store.ts'
import { isTrashed } from '../history/trash/service.ts'
import { activeLock, findLocked, type LockBypass, lockEndings } from '../locks/gate.ts'
import { deleteObjectRows, lockCurrent, placeObjectRows } from '../objects/current.ts'
import { type ItemError, itemError } from '../objects/item-error.ts'
import { type PartOf, removeObjects } from '../objects/service.ts'
import type { ObjectRow } from '../objects/store.ts'
import { isAsExpected, type RemovalConditions } from '../objects/write.ts'

/** A version to remove, if it meets all conditions. */
export interface NamedVersion extends VersionName {
  conditions?: readonly RemovalConditions[]
}
/** What was removed. */
export interface RemovedVersion extends VersionName {
  /** Whether it was a delete marker. */
  marker: boolean
}

/**
 * Step: removes those of these versions that are there, that the actor may delete, that meet their conditions and are not
 * locked. Records each.
 */
export async function removeVersions(
  step: Step,
  bucket: HeldBucket,
  asked: readonly NamedVersion[],
  {
    permanent = false,
    bypass: isAsked = false,
    ...more
  }: { permanent?: boolean; bypass?: boolean; bulk_id?: string; job_id?: string },
): Promise<{ removed: RemovedVersion[]; errors: (ItemError & VersionName)[] }> {
  const { tx } = step
  const errors: (ItemError & VersionName)[] = []
  const refuse = ({ key, version_id }: VersionName, error: ItemError) => void errors.push({ ...error, key, version_id })
  const names = [...Map.groupBy(asked, nameOf).values()].flatMap(([one, ...others]): NamedVersion[] => {
    if (!one) return []
    const refused = refusal(step.actor, DELETE_VERSION, bucket.name, one.key)
    if (refused) refuse(one, itemError(one.key, refused))
    return refused ? [] : [{ ...one, conditions: [one, ...others].flatMap(({ conditions = [] }) => conditions) }]
  })
  const keys = [...new Set(names.map(({ key }) => key))]
  if (keys.length === 0) return { removed: [], errors }
  await lockKeys(tx, [bucket, keys])
  const [objects, versions] = await Promise.all([lockCurrent(tx, bucket.id, keys), lockRetired(tx, bucket.id, names)])
  const byName = new Map(names.map((one) => [nameOf(one), one]))
  const expected = (row: ObjectRow | VersionRow): boolean => {
    const name = byName.get(nameOf(row))
    if (!name) return false
    const isExpected = (name.conditions ?? []).every((one) => isAsExpected(row, one))
    if (!isExpected)
      refuse(name, {
        key: name.key,
        code: 'precondition_failed',
        detail: 'The version does not match the conditions.',
      })
    return isExpected
  }
  const bypass = (key: string) => isAsked && permits(step.actor, 'bypass_lock', bucket.name, key)
  const passage = { permanent, bypass }
  const ends = !isTrashed(bucket, { permanent })
  const locked = await findLocked(step, [...objects, ...versions], { bypass, ends })
  const removable = (row: ObjectRow | VersionRow): boolean => {
    if (!expected(row)) return false
    const reason = locked.get(row)
    if (reason) refuse(row, itemError(row.key, reason))
    return reason === undefined
  }
  const current = objects.filter(removable)
  const older = versions.filter(removable)
  const removed = [...current, ...older].map(({ key, version_id, blob_id }) => ({
    key,
    version_id,
    marker: blob_id === null,
  }))
  // Without versions this is a deletion as any other.
  if (bucket.versioning === null) await removeObjects(step, bucket, current, { permanent, ...more })
  else {
    const bare = new Set(keysOf(objects))
    const bared = older.filter(({ key, blob_id }) => blob_id === null && !bare.has(key))
    await removeRows(
      step,
      bucket,
      { current, older, bared: [...keysOf(current), ...keysOf(bared)] },
      { ...passage, ...more },
    )
  }
  return { removed, errors }
}

/**
 * Step: removes those versions that are not current, and delete markers of which nothing else is left if `markers`, of
 * rows as they were listed; what is gone, current or otherwise needed by now, not `isWanted` or locked stays. Records each.
 * The actor's right was checked before. Returns the rows removed, and which of the others are still there.
 */
export async function removeListed(
  step: Step,
  bucket: HeldBucket,
  listed: readonly { key: string; seq: number }[],
  options: { bulk_id: string; policy_id: string; markers: boolean; isWanted(row: VersionRow): boolean },
): Promise<{ removed: Set<number>; changed: Set<number>; locked: Set<number> }> {
  const { markers, isWanted, ...more } = options
  await lockKeys(step.tx, [bucket, listed.map(({ key }) => key)])
  const seqs = listed.map(({ seq }) => seq)
  const [rows, places] = await Promise.all([lockRows(step.tx, seqs), findPlaces(step.tx, seqs)])
  const locked = await findLocked(step, rows, { ends: !isTrashed(bucket) })
  const {
    same: older = [],
    held = [],
    other = [],
  } = Object.groupBy(rows, (row) => {
    const { covered_at = null, alone = false } = places.get(row.seq) ?? {}
    if ((covered_at === null && !(alone && markers)) || !isWanted(row)) return 'other'
    return locked.has(row) ? 'held' : 'same'
  })
  await removeRows(step, bucket, { current: [], older, bared: [] }, more)
  return { removed: seqsOf(older), changed: seqsOf(other), locked: seqsOf(held) }
}

const seqsOf = (rows: readonly VersionRow[]): Set<number> => new Set(rows.map(({ seq }) => seq))

/** Locked rows to remove, and the keys that lose their object or the marker that hid the versions before it. */
interface Removed {
  current: readonly ObjectRow[]
  older: readonly VersionRow[]
  bared: readonly string[]
}

/** Step: removes versions from a bucket that keeps them, and records each. */
export async function removeRows(
  step: Step,
  bucket: HeldBucket,
  { current, older, bared }: Removed,
  { permanent = false, bypass, ...more }: PartOf & LockBypass & { permanent?: boolean },
): Promise<void> {
  const { tx, record } = step
  const removal = { reason: 'deleted', permanent, bypass, job_id: more.job_id } as const
  const left = await discard(step, bucket, current, removal)
  const discarded = await discardVersions(step, bucket, older, removal)
  const promoted = await promote(step, bucket, [...new Set(bared)], keysOf(current))
  step.awaitAtCommit(
    countUsage(tx, bucket, {
      ...sumChanges(left.change, discarded.change, promoted.change),
      objects: promoted.objects - current.length,
    }),
  )
  const trashIds = [...left.trashIds, ...discarded.trashIds]
  const endings = await lockEndings(step, [...current, ...older])
  for (const [i, row] of [...current, ...older].entries()) {
    const trash_id = trashIds[i]
    // The lock that did not count.
    const bypassed = activeLock(row, endings)
    record({
      name: 'version_delete',
      bucket: bucket.name,
      key: row.key,
      details: {
        size: row.size,
        version_id: row.version_id ?? 'null',
        ...(row.blob_id === null ? { marker: true } : { permanent: !trash_id }),
        ...(trash_id ? { trash_id } : {}),
        ...(bypassed ? { bypassed } : {}),
        ...more,
      },
    })
  }
}

/**
 * Step: makes the latest version of each of these keys its current one again, unless it is a delete marker. `leaving` are
 * those that have an object, which goes.
 */
async function promote(
  { tx, awaitAtCommit }: Step,
  bucket: HeldBucket,
  keys: readonly string[],
  leaving: readonly string[],
): Promise<{ objects: number; change: Change }> {
  const newest = (await findNewest(tx, bucket.id, keys)).filter(hasContents)
  const followed = new Set(keysOf(newest))
  const bare = leaving.filter((key) => !followed.has(key))
  awaitAtCommit(deleteObjectRows(tx, bucket.id, bare))
  if (newest.length > 0) {
    awaitAtCommit(
      deleteVersionRows(
        tx,
        newest.map(({ seq }) => seq),
      ),
    )
    awaitAtCommit(placeObjectRows(tx, newest.map(asObject), leaving))
  }
  const { bytes, encrypted_objects } = arriving(newest)
  return { objects: newest.length, change: { ...noChange, version_bytes: -bytes, encrypted_objects } }
}

export const keysOf = (rows: readonly { key: string }[]): string[] => rows.map(({ key }) => key)
