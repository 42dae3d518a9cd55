import { ServiceError } from '../../../contract/errors.ts'
import type { StoredObject } from '../../../contract/objects.ts'
import { findPointed } from '../../blobs/pointers.ts'
import { allow, type Ctx, currentActor, refuseDenied, type Step } from '../../context.ts'
import { LaterChange } from '../../db/moments.ts'
import { isExternal } from '../../drivers/routing/ids.ts'
import { DELETE_VERSION } from '../../iam/names-of-rights.ts'
import { bucketMissing, countUsage, type HeldBucket, holdBucket } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { confirm } from '../external-objects/confirm.ts'
import { lockKeys } from '../history/keys.ts'
import { asObject, type Change, isKept, markDeleted, nextVersion, retire } from '../history/retire.ts'
import { findNewest, findVersions, hasContents } from '../history/store.ts'
import { absenceOf, erasedSince, markerInstead, objectMissing, versionMissing } from './absence.ts'
import { describeObject, versionOf } from './describe.ts'
import type { ItemError } from './item-error.ts'
import { type Found, findContents, findWithLifecycle } from './lookup.ts'
import { readRefusal } from './read-rights.ts'
import * as store from './store.ts'
import { isAsExpected, isConditional, type RemovalConditions } from './write.ts'

/** Returns an object that the caller may read; throws `forbidden` or `not_found`. */
export async function getObject(ctx: Ctx, bucket: string, key: string): Promise<store.ObjectRow> {
  const on = { key, isVersion: false }
  assertReadable(ctx, bucket, on)
  const row = (await store.findObject(ctx.db, bucket, key)) ?? (await throwMissing(ctx, bucket, key))
  assertReadable(ctx, bucket, { ...on, row })
  return row
}

/**
 * Like `getObject`, with its bucket's lifecycle document and, if `opens`, the bytes of an inline blob (null for any
 * other), from the same statement. `version`: a version that is perhaps not current. Its ACL may let the caller read it,
 * where ACLs count. What others keep is as their storage has it now.
 */
export async function getContents(
  ctx: Ctx,
  bucket: string,
  key: string,
  { opens, version }: { opens: boolean; version?: string | null | undefined },
): Promise<Found & { bytes?: Uint8Array | null; sums?: Uint8Array | null }> {
  const isVersion = version !== undefined
  assertReadable(ctx, bucket, { key, isVersion })
  const find = opens ? findContents : findWithLifecycle
  const current = await find(ctx.db, bucket, key)
  const found =
    version !== undefined && current?.row.version_id !== version
      ? await findOlder(ctx, bucket, { key, version })
      : (current ?? (await throwMissing(ctx, bucket, key)))
  assertReadable(ctx, bucket, { key, isVersion, row: found.row })
  if (ctx.past) {
    const pointed = await findPointed(ctx.past.present, [found.row.blob_id])
    if (pointed.size === 0) throw erasedSince(key)
    return found
  }
  if (!isExternal(found.row.blob_id)) return found
  const row = await confirm(ctx, found.row, { opens })
  if (!row) throw objectMissing(bucket, key)
  return { ...found, row }
}

function assertReadable(
  { actor }: Ctx,
  bucket: string,
  { key, isVersion, row }: { key: string; isVersion: boolean; row?: store.ObjectRow },
): void {
  const refused = readRefusal(actor, bucket, key, { row, version: isVersion })
  if (refused) throw refused
}

/** A version that is not current. Throws not_found, also for a delete marker. */
async function findOlder(
  ctx: Ctx,
  name: string,
  { key, version }: { key: string; version: string | null },
): Promise<Found> {
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  const [row] = await findVersions(ctx.db, bucket.id, [{ key, version_id: version }])
  if (!row) {
    // It may have become current between the two statements.
    const current = await findWithLifecycle(ctx.db, name, key)
    if (current?.row.version_id === version) return current
    throw versionMissing(name, key, version)
  }
  const { versioning, replication } = bucket
  if (hasContents(row)) return { row: asObject(row), versioning, replication, lifecycle: null }
  throw markerInstead(name, key, row)
}
async function throwMissing(ctx: Ctx, name: string, key: string): Promise<never> {
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  throw await absenceOf(ctx.db, bucket, { key, version_id: undefined })
}

/** What a deletion did. */
export interface Deleted {
  /** The delete marker that hides the key now; undefined where the bucket keeps no versions. */
  marker?: string | undefined
}

/**
 * Deletes an object: to the trash, or among the versions, behind a delete marker. `permanent` needs `manage` and is
 * refused where there are versions: it would have to say which. `absent: 'mark'`: a key without an object gets a marker
 * all the same, as S3 has it; otherwise that throws not_found.
 */
export async function deleteObject(
  ctx: Ctx,
  bucketName: string,
  key: string,
  { permanent, absent, ...conditions }: RemovalConditions & { permanent: boolean; absent?: 'mark' },
): Promise<Deleted> {
  const rights = permanent ? (['delete', 'manage'] as const) : (['delete'] as const)
  if (permanent) refuseDenied(ctx.actor, DELETE_VERSION, bucketName, key)
  for (const right of rights) allow(ctx.actor, right, bucketName, key)
  return ctx.act(async (step) => {
    const { tx } = step
    const [bucket, actor] = await Promise.all([holdBucket(tx, bucketName), currentActor(step)])
    for (const right of rights) allow(actor, right, bucketName, key)
    await lockKeys(tx, [bucket, [key]])
    const old = await store.lockObject(tx, bucket.id, key)
    if (!old) {
      if (absent !== 'mark' || bucket.versioning === null) throw objectMissing(bucketName, key)
      const { markers, errors } = await markAbsent(step, bucket, [{ key, conditions: [conditions] }])
      const [error] = errors
      if (error) throw new ServiceError(error.code, error.detail)
      const marker = markers.get(key)
      return marker === undefined ? step.nothing({}) : { marker }
    }
    if (!isAsExpected(old, conditions))
      throw new ServiceError('precondition_failed', 'The object does not match the conditions, or no longer does.')
    if (permanent && bucket.versioning !== null)
      throw new ServiceError('conflict', 'The bucket keeps versions: name the version to delete permanently.')
    const { markers } = await removeObjects(step, bucket, [old], { permanent })
    return { marker: markers.get(key) }
  })
}

/** Of what operation a removal is a part. */
export interface PartOf {
  bulk_id?: string
  job_id?: string
  /** The policy of a run, whose id is `bulk_id`. */
  policy_id?: string
}

/** What can undo a removal as a whole: its job or policy run. */
const undoableBy = ({ job_id, policy_id, bulk_id }: PartOf): string | undefined =>
  job_id ?? (policy_id === undefined ? undefined : bulk_id)

/**
 * Step: removes objects, whose keys are locked, and records each with `more` in its details. Returns their trash ids, and
 * the delete markers by key.
 */
export async function removeObjects(
  step: Step,
  bucket: HeldBucket,
  rows: readonly store.ObjectRow[],
  { permanent = false, ...more }: PartOf & { permanent?: boolean },
): Promise<{ trashIds: string[]; markers: Map<string, string> }> {
  const { tx, record, awaitAtCommit } = step
  if (rows.length === 0) return { trashIds: [], markers: new Map() }
  const keys = rows.map(({ key }) => key)
  const job_id = undoableBy(more)
  const removal = { reason: 'deleted', job_id, permanent } as const
  awaitAtCommit(store.deleteObjects(tx, bucket.id, keys))
  const { trashIds, change } = await retire(step, bucket, rows, { ...removal, keys })
  const markers = markDeleted(step, bucket, keys, job_id)
  awaitAtCommit(countUsage(tx, bucket, { ...change, objects: -rows.length }))
  for (const [i, row] of rows.entries()) {
    const { key, size } = row
    const trash_id = trashIds[i] ?? undefined
    record({
      name: 'delete',
      bucket: bucket.name,
      key,
      details: {
        size,
        permanent: !trash_id && !isKept(bucket, row),
        ...(trash_id ? { trash_id } : {}),
        ...versionOf(bucket.versioning, row),
        ...markerOf(markers, key),
        ...more,
      },
    })
  }
  return { trashIds: trashIds.filter((id) => id !== null), markers }
}

/**
 * Step: marks keys as deleted that have no object, and records that. Where there are conditions nothing is marked: they are
 * on an object, and there is none. Returns the markers by key, and an error for each key behind a delete marker of which
 * anything but that it exists was expected.
 */
export async function markAbsent(
  step: Step,
  bucket: HeldBucket,
  asked: readonly { key: string; conditions: readonly RemovalConditions[] }[],
  more: PartOf = {},
): Promise<{ markers: Map<string, string>; errors: ItemError[] }> {
  const errors: ItemError[] = []
  const conditional = asked.filter(({ conditions }) => conditions.some(isConditional)).map(({ key }) => key)
  const newest = new Map((await findNewest(step.tx, bucket.id, conditional)).map((row) => [row.key, row]))
  const keys = asked.flatMap(({ key, conditions }) => {
    if (!conditions.some(isConditional)) return [key]
    if (newest.has(key) && !conditions.every(wantsAny))
      errors.push({ key, code: 'precondition_failed', detail: 'There is a delete marker, and no object to compare.' })
    return []
  })
  const { change } = await retire(step, bucket, [], { reason: 'deleted', keys })
  const markers = markDeleted(step, bucket, keys)
  if (keys.length > 0) step.awaitAtCommit(countUsage(step.tx, bucket, change))
  for (const key of keys)
    step.record({
      name: 'delete',
      bucket: bucket.name,
      key,
      details: { size: 0, permanent: false, ...markerOf(markers, key), ...more },
    })
  return { markers, errors }
}

/** Whether it is all that is expected of an object that it exists. */
const wantsAny = ({ ifMatch, ...more }: RemovalConditions): boolean =>
  !isConditional(more) && (ifMatch === undefined || ifMatch === '*')

function markerOf(markers: ReadonlyMap<string, string>, key: string): { marker?: string } {
  const marker = markers.get(key)
  return marker === undefined ? {} : { marker }
}

/** Contents made visible again; in a bucket that keeps versions as the version that they were, if they were one. */
const asVersion = (step: Step, bucket: HeldBucket, row: store.ObjectRow): store.ObjectRow =>
  row.version_id !== null && bucket.versioning !== null ? row : { ...row, ...nextVersion(step, bucket) }

/** Step: makes contents visible again under their key, which is locked; undefined if it is taken. */
export async function reinstate(step: Step, bucket: HeldBucket, row: store.ObjectRow): Promise<Reinstated | undefined> {
  const all = await reinstateAll(step, bucket, [row])
  const object = all.objects.get(row.key)
  return object && { object, change: all.change }
}
/** An object made of former contents, the object that it replaced, and what to count besides its size. */
interface Reinstated {
  object: StoredObject
  replaced?: { size: number; trash_id: string | null; kept: boolean }
  change: Change
}

/** Step: like `reinstate` for many; returns those whose key was free, by key. */
export async function reinstateAll(
  step: Step,
  bucket: HeldBucket,
  rows: readonly store.ObjectRow[],
): Promise<{ objects: Map<string, StoredObject>; change: Change }> {
  const arriving = rows.map((row) => asVersion(step, bucket, row))
  const free = new Set(await store.insertObjects(step.tx, arriving))
  const arrived = arriving.filter(({ key }) => free.has(key))
  const { change } = await retire(step, bucket, [], { reason: 'overwritten', keys: nullKeys(arrived) })
  return {
    objects: new Map(arrived.map((row) => [row.key, describeObject(row, bucket.name, bucket.versioning)])),
    change,
  }
}

const nullKeys = (rows: readonly store.ObjectRow[]): string[] =>
  rows.filter(({ version_id }) => version_id === null).map(({ key }) => key)

/**
 * Step: makes contents visible again under their key, which is locked, replacing the current object. The caller counts
 * the usage.
 */
export async function reinstateOver(step: Step, bucket: HeldBucket, row: store.ObjectRow): Promise<Reinstated> {
  const { tx } = step
  // Before the moment is drawn: see `insertOrLock` of write.ts.
  const old = await store.lockObject(tx, bucket.id, row.key)
  if (!old) {
    const free = await reinstate(step, bucket, row)
    if (!free) throw new LaterChange('The key was taken meanwhile')
    return free
  }
  const arriving = asVersion(step, bucket, row)
  const overwriting = { reason: 'overwritten', keys: nullKeys([arriving]) } as const
  const { trashIds, change } = await retire(step, bucket, [old], overwriting)
  await store.replaceObject(tx, arriving)
  const now = { ...arriving, created_at: old.created_at }
  return {
    object: describeObject(now, bucket.name, bucket.versioning),
    replaced: { size: old.size, trash_id: trashIds[0] ?? null, kept: isKept(bucket, old) },
    change,
  }
}
