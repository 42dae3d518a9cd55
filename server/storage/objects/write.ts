import type { Sent } from '../../../contract/actions.ts'
import { ServiceError } from '../../../contract/errors.ts'
import type { StoredObject } from '../../../contract/objects.ts'
import { encryptionIn, keepBlob } from '../../blobs/write.ts'
import { allow, type Ctx, currentActor, type Step } from '../../context.ts'
import { LaterChange } from '../../db/moments.ts'
import type { Tx } from '../../db/schema.ts'
import { etagFor } from '../../encryption/envelope.ts'
import { type EntityTags, matchesStrongly, matchesWeakly, wholeSeconds } from '../../http/conditions.ts'
import { countUsage, type HeldBucket, holdBucket } from '../buckets/service.ts'
import { lockKeys } from '../history/keys.ts'
import { arriving, type Change, nextVersion, retire, sumChanges } from '../history/retire.ts'
import type { Locked, WantedLock } from '../locks/lock.ts'
import { describedAs, describeObject, versionOf } from './describe.ts'
import { allowLocked } from './lock-rights.ts'
import { discard, type Received, startReceiving, type Upload } from './receive.ts'
import * as store from './store.ts'
import { type Copies, withCopies } from './transfers/copies.ts'
import { inPlace } from './transfers/in-place.ts'

/** RFC 9110 section 13 conditions on the object to be replaced. */
export interface WriteConditions {
  ifNoneMatch?: EntityTags | undefined
  ifMatch?: EntityTags | undefined
}

/** Conditions on an object to be deleted. */
export interface RemovalConditions extends Pick<WriteConditions, 'ifMatch'> {
  /** When it was last changed, to the second. */
  lastModified?: Date | undefined
  /** In bytes. */
  size?: number | undefined
}

/** An object that was stored. */
export interface Written {
  object: StoredObject
  /** Whether its key was free. */
  created: boolean
  /** The lifecycle document of its bucket, as JSON. */
  lifecycle: string | null
}

/** Conditions of the service's own besides: `holds` is called in the transaction, and may refuse. */
export interface OwnConditions extends WriteConditions {
  holds?: (tx: Tx) => Promise<unknown>
}

/** Stores one object. Needs `write` on the key. */
export async function write(ctx: Ctx, bucket: string, upload: Upload, conditions: OwnConditions): Promise<Written> {
  allow(ctx.actor, 'write', bucket, upload.key)
  const { receive, end } = await startReceiving(ctx, bucket)
  if (conditions.ifNoneMatch !== undefined || conditions.ifMatch !== undefined)
    try {
      assertConditions(await store.findObject(ctx.db, bucket, upload.key), conditions)
    } catch (error) {
      await end()
      throw error
    }
  const received = await receive(upload)
  const [placed] = await writeAll(ctx, bucket, [received], conditions)
  return placed as Written
}

/**
 * Makes received bytes visible, all or none, each recorded as an `upload`, if the caller may still write them; discards
 * them on failure.
 */
export async function writeAll(
  ctx: Ctx,
  bucketName: string,
  received: readonly Received[],
  conditions: OwnConditions = {},
): Promise<Written[]> {
  try {
    const result = await withNewBlobs(ctx, async (step, copies) => {
      const { tx } = step
      await conditions.holds?.(tx)
      await received[0]?.arrival.settle(tx)
      const [bucket, actor] = await Promise.all([holdBucket(tx, bucketName), currentActor(step)])
      for (const { upload } of received) await allowLocked({ ...step, actor }, bucketName, upload.key, upload.lock)
      const keys = received.map(({ upload }) => upload.key)
      await lockKeys(tx, [bucket, keys])
      // Before the first is written, which draws the moment of all.
      if (keys.length > 1) await store.lockObjects(tx, bucket.id, keys)
      const placed = new Map<Received, Written>()
      const growths: (Change & { objects: number })[] = []
      // In key order, so that two uploads of the same keys cannot deadlock.
      for (const one of received.toSorted((a, b) => (a.upload.key < b.upload.key ? -1 : 1))) {
        const blob = inPlace(bucket, one.blob, copies)
        step.awaitAtCommit(keepBlob(step, blob))
        const { growth, ...result } = await writeReceived(step, bucket, { ...one, blob }, { conditions })
        placed.set(one, { ...result, lifecycle: bucket.lifecycle ?? null })
        growths.push(growth)
      }
      // Once and last, also against deadlocks: files counted one by one made every second pair of forms deadlock.
      const objects = growths.reduce((sum, growth) => sum + growth.objects, 0)
      step.awaitAtCommit(countUsage(tx, bucket, { ...sumChanges(...growths), objects }))
      return received.flatMap((one) => placed.get(one) ?? [])
    })
    received[0]?.arrival.settled()
    return result
  } catch (error) {
    await discard(ctx, received)
    throw error
  }
}

/** Runs an action that points at new blobs, again with copies of them if their bucket has moved to another storage meanwhile. */
const withNewBlobs = <T>(ctx: Ctx, work: (step: Step, copies: Copies) => Promise<T>) =>
  withCopies(ctx, (copies) => ctx.act((step) => work(step, copies)))

/** When contents may become an object, and what their `upload` says besides. */
interface WriteTerms {
  conditions: WriteConditions
  /** What is to be locked of it. */
  lock?: WantedLock | undefined
  parts?: number
  /** The share link that it came through. */
  sent?: Sent
}

/** Step: makes received bytes, which are kept by now, their key's object and returns what to count. */
const writeReceived = (
  step: Step,
  bucket: HeldBucket,
  { upload, blob }: Omit<Received, 'arrival'>,
  terms: WriteTerms,
) =>
  writeContents(
    step,
    bucket,
    {
      key: upload.key,
      blob_id: blob.id,
      size: blob.size,
      etag: etagFor(blob.envelope?.kind ?? null, blob),
      sha256: blob.sha256,
      checksums: blob.checksums,
      encryption: encryptionIn(blob.envelope),
      storage_class: upload.storageClass ?? null,
      acl: upload.acl ?? null,
      ...describedAs(upload),
    },
    { ...terms, lock: upload.lock },
  )

/** A blob with everything that makes it an object, except bucket, version, time and user. */
export type Contents = Omit<
  store.ObjectRow,
  'bucket_id' | 'version_id' | 'created_at' | 'last_modified' | 'created_by' | keyof Locked
>

/** Step: makes a blob the object of its key, which is locked; records `upload`, and returns what to count. */
async function writeContents(
  step: Step,
  bucket: HeldBucket,
  contents: Contents,
  { conditions, lock, parts, sent }: WriteTerms,
) {
  const { tx, record } = step
  const now = step.now().toISOString()
  const row: store.ObjectRow = {
    bucket_id: bucket.id,
    ...nextVersion(step, bucket, lock),
    ...contents,
    created_at: now,
    last_modified: now,
    created_by: step.actor.user_id,
  }
  const old = await insertOrLock(tx, row, conditions)
  assertConditions(old, conditions)
  const overwriting = { reason: 'overwritten', keys: [row.key] } as const
  const { trashIds, change } = await retire(step, bucket, old ? [old] : [], overwriting)
  const [trashId = null] = trashIds
  if (old) {
    step.awaitAtCommit(store.replaceObject(tx, row))
    row.created_at = old.created_at
  }
  const growth = { ...sumChanges(change, arriving([row])), objects: old ? 0 : 1 }
  record({
    name: 'upload',
    bucket: bucket.name,
    key: row.key,
    details: {
      size: row.size,
      content_type: row.content_type,
      etag: row.etag,
      replaced: old !== undefined,
      ...(trashId === null ? {} : { trash_id: trashId }),
      ...versionOf(bucket.versioning, row),
      ...(parts === undefined ? {} : { parts }),
      ...sent,
    },
    ...(parts === undefined ? {} : { counted: true }),
  })
  return { object: describeObject(row, bucket.name, bucket.versioning), created: !old, growth }
}

/**
 * Makes received bytes an object under the first free one of these names, so that nothing is overwritten. `before` runs
 * in the transaction and may refuse. On failure the bytes are discarded.
 */
export async function writeUnderFreeName(
  ctx: Ctx,
  bucketName: string,
  received: Received,
  { names, sent, before }: { names: Iterable<string>; sent: Sent; before: (tx: Tx) => Promise<void> },
): Promise<StoredObject> {
  try {
    const result = await withNewBlobs(ctx, async (step, copies) => {
      const { tx } = step
      await received.arrival.settle(tx)
      await before(tx)
      const bucket = await holdBucket(tx, bucketName)
      const blob = inPlace(bucket, received.blob, copies)
      step.awaitAtCommit(keepBlob(step, blob))
      const placed = await underFreeName(names, async (key) => {
        await lockKeys(tx, [bucket, [key]])
        const one = { upload: { ...received.upload, key }, blob }
        return writeReceived(step, bucket, one, { conditions: { ifNoneMatch: '*' }, sent })
      })
      step.awaitAtCommit(countUsage(tx, bucket, placed.growth))
      return placed.object
    })
    received.arrival.settled()
    return result
  } catch (error) {
    await discard(ctx, [received])
    throw error
  }
}

/** What `write` returns for the first of these names that is free; for one that is taken it throws precondition_failed. */
export async function underFreeName<T extends object>(
  names: Iterable<string>,
  write: (key: string) => Promise<T>,
): Promise<T> {
  for (const key of names) {
    const written = await write(key).catch(asTaken)
    if (written) return written
  }
  throw new ServiceError('conflict', 'Too many files have this name.')
}
function asTaken(error: unknown): undefined {
  if (error instanceof ServiceError && error.code === 'precondition_failed') return undefined
  throw error
}

/** Step: makes a blob, for which `released` bytes were reserved, its key's object and counts it. */
export async function writeFromBlob(
  step: Step,
  bucket: HeldBucket,
  contents: Contents,
  { released, ...terms }: WriteTerms & { released: number; parts: number },
): Promise<StoredObject> {
  const { tx } = step
  await lockKeys(tx, [bucket, [contents.key]])
  const { object, growth } = await writeContents(step, bucket, contents, terms)
  await countUsage(tx, bucket, { ...growth, reserved: -released })
  return object
}

/**
 * Inserts the row, or returns the locked row that has the key. It is locked before a moment is drawn, which would else be before
 * that of a copy that still reads what is replaced. If-None-Match * replaces nothing, and If-Match nothing but an object.
 */
async function insertOrLock(tx: Tx, row: store.ObjectRow, { ifMatch, ifNoneMatch }: WriteConditions) {
  const old = ifNoneMatch === '*' ? undefined : await store.lockObject(tx, row.bucket_id, row.key)
  if (old || ifMatch !== undefined) return old
  if (await store.insertObject(tx, row)) return undefined
  const taken = ifNoneMatch === '*' && (await store.lockObject(tx, row.bucket_id, row.key))
  if (taken) return taken
  throw new LaterChange('The key was taken, or left, meanwhile')
}

/** Throws precondition_failed unless the conditions hold for the current object. */
export function assertConditions(old: store.ObjectRow | undefined, { ifNoneMatch, ifMatch }: WriteConditions): void {
  if (ifNoneMatch !== undefined && old && matchesWeakly(ifNoneMatch, old.etag))
    throw new ServiceError('precondition_failed', `The key "${old.key}" is taken.`)
  if (ifMatch !== undefined && !(old && matchesStrongly(ifMatch, old.etag)))
    throw new ServiceError('precondition_failed', 'The object does not match If-Match, or no longer does.', {
      ...(old ? {} : { missing: 'object' as const }),
    })
}

/** Whether anything is expected at all. */
export const isConditional = (conditions: RemovalConditions): boolean =>
  Object.values(conditions).some((one) => one !== undefined)

/** Whether an object is as whoever deletes it expects. */
export const isAsExpected = (
  row: Pick<store.ObjectRow, 'etag' | 'last_modified' | 'size'>,
  { ifMatch, lastModified, size }: RemovalConditions,
): boolean =>
  (ifMatch === undefined || matchesStrongly(ifMatch, row.etag)) &&
  (lastModified === undefined || wholeSeconds(new Date(row.last_modified)) === wholeSeconds(lastModified)) &&
  (size === undefined || row.size === size)
