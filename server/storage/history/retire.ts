import { newId } from '../../base/id.ts'
import type { Step } from '../../context.ts'
import type { ObjectRow } from '../../db/schema.ts'
import type { Usage } from '../buckets/quotas/store.ts'
import type { HeldBucket } from '../buckets/service.ts'
import { assertRemovable } from '../locks/gate.ts'
import { lockOf, unlocked, type WantedLock } from '../locks/lock.ts'
import * as store from './store.ts'
import { isTrashed, moveToTrash, type Removal } from './trash/service.ts'

/** What becomes of contents that stop being current, in the order of the rows, and what to count of it. */
export interface Retired {
  /** Their ids in the trash; null for those kept as versions, and for those that are gone. */
  trashIds: (string | null)[]
  change: Change
}

/** What to count, except objects, reservations and what snapshots keep. */
export type Change = Omit<Usage, 'objects' | 'history_bytes' | 'reserved'>

export const noChange: Change = {
  bytes: 0,
  trash_bytes: 0,
  version_bytes: 0,
  encrypted_bytes: 0,
  encrypted_objects: 0,
}

export const sumChanges = (...changes: readonly Change[]): Change => ({
  bytes: changes.reduce((sum, { bytes }) => sum + bytes, 0),
  trash_bytes: changes.reduce((sum, { trash_bytes }) => sum + trash_bytes, 0),
  version_bytes: changes.reduce((sum, { version_bytes }) => sum + version_bytes, 0),
  encrypted_bytes: changes.reduce((sum, { encrypted_bytes }) => sum + encrypted_bytes, 0),
  encrypted_objects: changes.reduce((sum, { encrypted_objects }) => sum + encrypted_objects, 0),
})

/** What is counted of contents. */
type Counted = Pick<ObjectRow, 'size' | 'encryption'>

/** What to count of contents that become objects. */
export const arriving = (rows: readonly Counted[]): Change => ({
  bytes: sumOf(rows),
  trash_bytes: 0,
  version_bytes: 0,
  ...encryptedOf(rows, 1),
})

/** What to count of objects that leave a bucket, but for the trash. */
export const leaving = (rows: readonly Counted[]): Change => ({
  bytes: -sumOf(rows),
  trash_bytes: 0,
  version_bytes: 0,
  ...encryptedOf(rows, -1),
})

/** What of objects is encrypted, with a sign. */
function encryptedOf(rows: readonly Counted[], sign: 1 | -1) {
  let encrypted_bytes = 0
  let encrypted_objects = 0
  for (const { size, encryption } of rows)
    if (encryption !== null) {
      encrypted_bytes += sign * size
      encrypted_objects += sign
    }
  return { encrypted_bytes, encrypted_objects }
}

/** The id of a version that is written now; null is the `null` version. */
const nextVersionId = ({ versioning }: HeldBucket): string | null => (versioning === 'enabled' ? newId() : null)

/**
 * What distinguishes a version that is written now: its id, and its lock, as wanted or as the bucket has it. Throws
 * conflict if a lock is wanted that the bucket cannot have.
 */
export const nextVersion = (step: Pick<Step, 'now'>, bucket: HeldBucket, wanted?: WantedLock) => ({
  version_id: nextVersionId(bucket),
  ...lockOf(bucket, step.now(), wanted),
})

/** How S3 and the API call a version. Undefined in a bucket that never kept any. */
export const versionName = (versioning: HeldBucket['versioning'], version_id: string | null): string | undefined =>
  version_id ?? (versioning === null ? undefined : 'null')

/** The version that a name stands for: the inverse of `versionName`. */
export const namedVersion = (name: string): string | null => (name === 'null' ? null : name)

/** Whether contents are kept as a version when they stop being current. */
export const isKept = ({ versioning }: HeldBucket, { version_id }: { version_id: string | null }): boolean =>
  versioning === 'enabled' || (versioning === 'suspended' && version_id !== null)

/** A removal from keys that get another version. */
interface Retirement extends Removal {
  /** Those whose new version may be a `null` one, which takes the place of the one before. */
  keys: readonly string[]
}

/**
 * Step: the way out for contents that stop being current: among the versions if the bucket keeps them, else to the
 * trash, else to the collector. Where versioning is suspended, the `null` versions of `keys` leave the versions too. The
 * caller deletes or replaces the rows, and counts the change.
 */
export async function retire(
  step: Step,
  bucket: HeldBucket,
  rows: readonly ObjectRow[],
  { keys, ...removal }: Retirement,
): Promise<Retired> {
  const nulls = bucket.versioning === 'suspended' ? keys.map((key) => ({ key, version_id: null })) : []
  const replaced = await discardVersions(step, bucket, await store.lockVersions(step.tx, bucket.id, nulls), removal)
  const kept = rows.filter((row) => isKept(bucket, row))
  const gone = rows.filter((row) => !isKept(bucket, row))
  const noncurrent_at = step.now().toISOString()
  if (kept.length > 0)
    step.awaitAtCommit(
      store.insertVersions(
        step.tx,
        kept.map((row) => ({ ...row, noncurrent_at, job_id: null })),
      ),
    )
  const discarded = await discard(step, bucket, gone, removal)
  const trashed = new Map(gone.map((row, i) => [row, discarded.trashIds[i]]))
  return {
    trashIds: rows.map((row) => trashed.get(row) ?? null),
    change: sumChanges(replaced.change, discarded.change, {
      ...noChange,
      version_bytes: sumOf(kept),
      encrypted_objects: leaving(kept).encrypted_objects,
    }),
  }
}

/**
 * Step: moves objects to the trash, if the bucket has one. The caller deletes their rows, and counts the change. Throws
 * `locked` if one of them must not be removed.
 */
export async function discard(
  step: Step,
  bucket: HeldBucket,
  rows: readonly ObjectRow[],
  removal: Removal,
): Promise<Retired> {
  await assertRemovable(step, rows, { bypass: removal.bypass, ends: !isTrashed(bucket, removal) })
  const trashIds = moveToTrash(step, bucket, rows, removal)
  const change = { ...leaving(rows), trash_bytes: sumOf(rows.filter((_, i) => trashIds[i])) }
  return { trashIds, change }
}

/** Step: deletes versions that are not current; their contents go to the trash, if the bucket has one. Throws `locked`. */
export async function discardVersions(
  step: Step,
  bucket: HeldBucket,
  rows: readonly store.VersionRow[],
  removal: Removal,
): Promise<Retired> {
  if (rows.length > 0)
    step.awaitAtCommit(
      store.deleteVersions(
        step.tx,
        rows.map(({ seq }) => seq),
      ),
    )
  const contents = rows.filter(store.hasContents)
  const { trashIds, change } = await discard(step, bucket, contents.map(asObject), removal)
  const trashed = new Map(contents.map((row, i) => [row.seq, trashIds[i]]))
  return {
    trashIds: rows.map(({ seq }) => trashed.get(seq) ?? null),
    change: { ...change, version_bytes: change.bytes, encrypted_objects: 0 },
  }
}

/** A version as the object that it was. */
export const asObject = ({ seq: _seq, noncurrent_at: _at, job_id: _job, ...row }: store.KeptRow): ObjectRow => row

/** Step: marks keys as deleted, if the bucket keeps versions. Returns the markers' version ids, as they are called. */
export function markDeleted(
  step: Step,
  bucket: HeldBucket,
  keys: readonly string[],
  job_id: string | null = null,
): Map<string, string> {
  if (bucket.versioning === null || keys.length === 0) return new Map()
  const now = step.now().toISOString()
  const markers = keys.map((key) => ({
    bucket_id: bucket.id,
    key,
    version_id: nextVersionId(bucket),
    blob_id: null,
    size: 0,
    etag: '',
    sha256: null,
    checksums: null,
    content_type: '',
    headers: null,
    metadata: '{}',
    tags: null,
    storage_class: null,
    acl: null,
    encryption: null,
    ...unlocked,
    created_at: now,
    last_modified: now,
    created_by: step.actor.user_id,
    noncurrent_at: now,
    job_id,
    moment: 0,
    author: null,
  }))
  step.awaitAtCommit(store.insertVersions(step.tx, markers))
  return new Map(markers.map(({ key, version_id }) => [key, version_id ?? 'null']))
}

const sumOf = (rows: readonly { size: number }[]): number => rows.reduce((sum, { size }) => sum + size, 0)

/** Step: locks those of these versions that are not current; nobody can remove them until the transaction ends. */
export const lockRetired = store.lockVersions

/** Step: locks those of these rows that are still there; nobody can remove them until the transaction ends. */
export const lockRows = store.lockRows

/** Step: deletes rows of versions that have become current again. */
export const deleteVersionRows = store.deleteVersions

/** Step: sets the lock of a version that is not current. */
export const lockAsRetired = store.setVersionLock

/** Step: sets the tags of a version that is not current; null are none. */
export const tagRetired = store.setVersionTags

/** Step: sets the ACL of a version that is not current. */
export const setAclAsRetired = store.setVersionAcl
