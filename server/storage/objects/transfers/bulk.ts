import type { BucketEncryption } from '../../../../contract/encryption.ts'
import { ServiceError } from '../../../../contract/errors.ts'
import { isKeyText } from '../../../../contract/names.ts'
import type { DeleteResult, StoredObject } from '../../../../contract/objects.ts'
import type { TransferResult } from '../../../../contract/transfers.ts'
import { newId } from '../../../base/id.ts'
import { allow, allowSomewhere, asCurrent, type Ctx, refusal, type Step } from '../../../context.ts'
import { permits } from '../../../iam/decide.ts'
import { askedBy } from '../../buckets/encryption.ts'
import { bucketMissing, type HeldBucket, holdBucket, holdBuckets } from '../../buckets/service.ts'
import { findBucket } from '../../buckets/store.ts'
import { lockKeys } from '../../history/keys.ts'
import type { WantedLock } from '../../locks/lock.ts'
import { absenceOf } from '../absence.ts'
import { describeObject } from '../describe.ts'
import { type ItemError, itemError } from '../item-error.ts'
import { allowLocked } from '../lock-rights.ts'
import { isSame, type KnownStates, type ObjectState, unchangedSince } from '../object-state.ts'
import { removeObjects } from '../service.ts'
import * as store from '../store.ts'
import { assertConditions, isAsExpected, type RemovalConditions, type WriteConditions } from '../write.ts'
import type { Pair, TransferKind } from './choose.ts'
import { withCopies } from './copies.ts'
import type { AskedRecoding } from './recoding.ts'
import { pairRefusal, transferObjects } from './transfer.ts'

/** Copies or moves one object into a bucket; throws if it cannot. `encryption`: of a copy that is to be encrypted so. */
export async function transferOne(
  ctx: Ctx,
  kind: TransferKind,
  destBucket: string,
  body: {
    source_bucket: string
    source_key: string
    dest_key?: string | undefined
    if_none_match?: '*' | undefined
    keep_both?: boolean | undefined
    encryption?: BucketEncryption | undefined
  },
): Promise<StoredObject> {
  const { source_bucket, source_key: key, dest_key = key, if_none_match } = body
  const places = { source: source_bucket, dest: destBucket }
  const refused = pairRefusal(ctx.actor, kind, places, { key, dest: dest_key })
  if (refused) throw refused
  const recoding = { wanted: askedBy(body.encryption) }
  return withCopies(ctx, (copies) =>
    ctx.act(async (step) => {
      const [buckets, current] = await Promise.all([
        holdBuckets(step.tx, source_bucket, destBucket, kind),
        asCurrent(step),
      ])
      const options = { kind, ifNoneMatch: if_none_match === '*', keepBoth: body.keep_both, recoding, copies }
      const pairs = [{ key, dest: dest_key }]
      const { placed, errors } = await transferObjects(current, buckets, pairs, options)
      const [error] = errors
      if (error) throw new ServiceError(error.code, error.detail)
      return describeObject(placed[0]?.row as store.ObjectRow, destBucket, buckets[1].versioning)
    }),
  )
}

/** Where an object is. */
interface Place {
  bucket: string
  key: string
}

/**
 * Copies one object, an earlier version of it, or what it was at a moment, which may be onto its own key. `admit` sees the source in the
 * transaction, may throw, and returns what of the copy differs; `conditions` are on the object that it replaces.
 */
export async function copyOne(
  ctx: Ctx,
  source: Place & { version?: string | null | undefined; moment?: number | undefined },
  dest: Place,
  {
    admit,
    conditions,
    lock,
    recoding,
  }: {
    admit(row: store.ObjectRow): Partial<store.ObjectRow>
    conditions: WriteConditions
    lock?: WantedLock | undefined
    recoding?: AskedRecoding | undefined
  },
): Promise<StoredObject> {
  const pair = { key: source.key, dest: dest.key }
  const refused = pairRefusal(ctx.actor, 'copy', { source: source.bucket, dest: dest.bucket }, pair)
  if (refused) throw refused
  await allowLocked(ctx, dest.bucket, dest.key, lock)
  return withCopies(ctx, (copies) =>
    ctx.act(async (step) => {
      const [buckets, current] = await Promise.all([
        holdBuckets(step.tx, source.bucket, dest.bucket, 'copy'),
        asCurrent(step),
      ])
      await allowLocked(current, dest.bucket, dest.key, lock)
      const { placed, errors } = await transferObjects(current, buckets, [pair], {
        kind: 'copy',
        version: source.version,
        moment: source.moment,
        lock,
        recoding,
        copies,
        change(row, replaced) {
          assertConditions(replaced, conditions)
          return admit(row)
        },
      })
      const [error] = errors
      if (error?.code === 'not_found')
        throw await absenceOf(step.tx, buckets[0], { key: source.key, version_id: source.version })
      if (error) throw new ServiceError(error.code, error.detail)
      return describeObject(placed[0]?.row as store.ObjectRow, dest.bucket, buckets[1].versioning)
    }),
  )
}

/** Copies or moves up to 1,000 objects into a bucket in one transaction; each key succeeds or gets an error. */
export async function transferMany(
  ctx: Ctx,
  kind: TransferKind,
  destBucket: string,
  body: {
    source_bucket: string
    keys: readonly string[]
    dest_prefix?: string | undefined
    source_prefix?: string | undefined
    if_none_match?: '*' | undefined
    keep_both?: boolean | undefined
    encryption?: BucketEncryption | undefined
  },
): Promise<TransferResult> {
  const { source_bucket, keys, dest_prefix = '', source_prefix, if_none_match, keep_both } = body
  allowSomewhere(ctx.actor, 'read', source_bucket)
  allowSomewhere(ctx.actor, 'write', destBucket)
  const recoding = { wanted: askedBy(body.encryption) }
  const pairs: Pair[] = []
  const impossible: ItemError[] = []
  for (const key of keys) {
    const dest = destination(key, dest_prefix, source_prefix)
    if (dest !== null) pairs.push({ key, dest })
    else
      impossible.push({
        key,
        code: 'invalid_request',
        detail: 'The destination key would be invalid, or the key is not under source_prefix.',
      })
  }
  const bulk_id = newId()
  return withCopies(ctx, (copies) =>
    ctx.act(async (step) => {
      const [buckets, current] = await Promise.all([
        holdBuckets(step.tx, source_bucket, destBucket, kind),
        asCurrent(step),
      ])
      const options = { kind, ifNoneMatch: if_none_match === '*', keepBoth: keep_both, recoding, bulk_id, copies }
      const { placed, errors } = await transferObjects(current, buckets, pairs, options)
      const result = {
        succeeded: placed.map(({ pair }) => pair.dest),
        errors: [...impossible, ...errors],
        ...(keep_both ? { kept_both: besides(pairs, placed) } : {}),
      }
      return placed.length > 0 ? result : step.nothing(result)
    }),
  )
}

/** What did not arrive under the key that was asked for. */
export function besides(pairs: readonly Pair[], placed: readonly { pair: Pair }[]) {
  const asked = new Map(pairs.map(({ key, dest }) => [key, dest]))
  return placed.flatMap(({ pair: { key: source_key, dest: key } }) =>
    asked.get(source_key) === key ? [] : [{ source_key, key }],
  )
}

/** A key's destination; null if that is not a valid key, or the key is not under the prefix to strip. */
export function destination(key: string, destPrefix: string, sourcePrefix: string | undefined): string | null {
  if (sourcePrefix !== undefined && !key.startsWith(sourcePrefix)) return null
  const rest = sourcePrefix === undefined ? lastSegment(key) : key.slice(sourcePrefix.length)
  const dest = destPrefix + rest
  return isKeyText(dest, 1) ? dest : null
}
/** Includes the slash that ends a folder's marker. */
const lastSegment = (key: string): string => key.slice(key.slice(0, -1).lastIndexOf('/') + 1)

/**
 * Moves up to 1,000 objects to the trash in one transaction, or hides them behind delete markers in a bucket that keeps
 * versions; each key succeeds or gets an error. A key's object is
 * deleted only if it meets all `conditions` of the key, if there are any.
 */
export async function deleteMany(
  ctx: Ctx,
  name: string,
  keys: readonly string[],
  conditions?: ReadonlyMap<string, readonly RemovalConditions[]>,
): Promise<DeleteResult> {
  allowSomewhere(ctx.actor, 'delete', name)
  const bulk_id = newId()
  return ctx.act(async (step) => {
    const [bucket, current] = await Promise.all([holdBucket(step.tx, name), asCurrent(step)])
    const deleted = await deleteKeys(current, bucket, keys, { bulk_id, conditions })
    const { removed, trashIds, errors } = deleted
    const markers = [...deleted.markers].map(([key, version_id]) => ({ key, version_id }))
    const result = { succeeded: removed, errors, trash_ids: trashIds, markers }
    return removed.length > 0 ? result : step.nothing(result)
  })
}

/**
 * Step: deletes the objects with these keys that the actor may delete, that have not changed since they were `seen`, if
 * they were, and that meet their `conditions`. The others get errors.
 */
export async function deleteKeys(
  step: Step,
  bucket: HeldBucket,
  keys: readonly string[],
  {
    seen,
    conditions = new Map(),
    ...more
  }: {
    bulk_id?: string
    job_id?: string
    seen?: KnownStates
    conditions?: ReadonlyMap<string, readonly RemovalConditions[]> | undefined
  },
): Promise<{ removed: string[]; trashIds: string[]; markers: Map<string, string>; errors: ItemError[] }> {
  const { tx } = step
  const { name } = bucket
  const errors: ItemError[] = []
  const allowed = keys.filter((key) => {
    const refused = refusal(step.actor, 'delete', name, key)
    if (refused) errors.push(itemError(key, refused))
    return !refused
  })
  await lockKeys(tx, [bucket, allowed])
  const there = await store.lockObjects(tx, bucket.id, allowed)
  const found = new Set(there.map(({ key }) => key))
  for (const key of allowed)
    if (!found.has(key))
      errors.push({ key, code: 'not_found', detail: `There is no object "${key}" in bucket "${name}".` })
  const { rows: same, changed } = unchangedSince(there, seen)
  errors.push(...changed)
  const { expected: rows = [], other = [] } = Object.groupBy(same, (row) =>
    (conditions.get(row.key) ?? []).every((one) => isAsExpected(row, one)) ? 'expected' : 'other',
  )
  for (const { key } of other)
    errors.push({ key, code: 'precondition_failed', detail: 'The object does not match the conditions.' })
  const { trashIds, markers } = await removeObjects(step, bucket, rows, more)
  return { removed: rows.map(({ key }) => key), trashIds, markers, errors }
}

/**
 * Step: deletes the objects that have not changed since they were seen and are still wanted gone. The actor's right was
 * checked before. Returns the deleted keys, and which of the others still have an object.
 */
export async function deleteUnchanged(
  step: Step,
  bucket: HeldBucket,
  versions: readonly ObjectState[],
  { isWanted, ...more }: { bulk_id: string; policy_id: string; isWanted(row: store.ObjectRow): boolean },
): Promise<{ removed: Set<string>; changed: Set<string> }> {
  const seen = new Map(versions.map((version) => [version.key, version]))
  await lockKeys(step.tx, [bucket, [...seen.keys()]])
  const rows = await store.lockObjects(step.tx, bucket.id, [...seen.keys()])
  const { same = [], other = [] } = Object.groupBy(rows, (row) => {
    const version = seen.get(row.key)
    return version && isSame(version, row) && isWanted(row) ? 'same' : 'other'
  })
  await removeObjects(step, bucket, same, more)
  return { removed: keysOf(same), changed: keysOf(other) }
}

const keysOf = (rows: readonly store.ObjectRow[]): Set<string> => new Set(rows.map(({ key }) => key))

/** Which keys are taken. Throws forbidden at the first key that the caller may neither list nor read. */
export async function findTaken(ctx: Ctx, name: string, keys: readonly string[]) {
  for (const key of keys) if (!permits(ctx.actor, 'read', name, key)) allow(ctx.actor, 'list', name, key)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  const rows = new Map((await store.findObjects(ctx.db, bucket.id, keys)).map((row) => [row.key, row]))
  return {
    items: keys.map((key) => {
      const row = rows.get(key)
      const { size = null, etag = null, last_modified = null } = row ?? {}
      return { key, exists: row !== undefined, size, etag, last_modified }
    }),
  }
}
