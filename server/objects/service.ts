import { ServiceError } from '../../contract/errors.ts'
import type { StoredObject } from '../../contract/objects.ts'
import { releaseBlobs } from '../blobs/collector.ts'
import { discardBlobs, newClaim, type WrittenBlob, writeBlob } from '../blobs/write.ts'
import { assertRoom, bucketMissing, countUsage, estimateRoom, type HeldBucket, holdBucket } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { allow, type Ctx, type Record } from '../context.ts'
import type { Tx } from '../db/schema.ts'
import { matchesEtag, matchesStrongly } from '../http/conditions.ts'
import { moveToTrash } from '../trash/service.ts'
import { describeObject } from './describe.ts'
import * as store from './store.ts'

/** What an upload says of itself besides its bytes. */
export interface Upload {
  key: string
  content_type: string
  metadata: { [name: string]: string }
  source: AsyncIterable<Uint8Array>
  /** Bytes announced by Content-Length, if any. */
  announced?: number | undefined
  /** Hex MD5 the client says the bytes have. */
  md5?: string | undefined
}
/** RFC 9110 section 13 conditions on the object to be replaced. */
export interface WriteConditions {
  ifNoneMatch?: string | undefined
  ifMatch?: string | undefined
}

/** Bytes received for one key, not yet visible. */
export interface Received {
  upload: Upload
  blob: WrittenBlob
}

/**
 * Receives the bytes of uploads into one bucket. The quota refuses before bytes land what surely does not fit; the
 * exact decision is made when they are placed. `wanted` is called when the bytes may come.
 */
export async function receiver(ctx: Ctx, bucket: string) {
  const row = await findBucket(ctx.db, bucket)
  if (!row) throw bucketMissing(bucket)
  const free = await estimateRoom(ctx.db, row)
  const claim = newClaim(ctx)
  let grown = 0
  return async (upload: Upload, wanted: () => void = () => undefined): Promise<Received> => {
    const replaced = free === null ? undefined : await store.findObject(ctx.db, bucket, upload.key)
    const freed = replaced?.size ?? 0
    // What replaces as many bytes does not grow the bucket, so it passes even where the quota is below what is used.
    const room = free === null ? null : Math.max(0, free - grown) + freed
    assertRoom(bucket, room, upload.announced ?? 0)
    wanted()
    const blob = await writeBlob(ctx, claim, upload.source, (size) => assertRoom(bucket, room, size))
    if (upload.md5 !== undefined && upload.md5 !== blob.md5) {
      await discardBlobs(ctx, [blob.id])
      throw new ServiceError('malformed', 'The body does not have the MD5 that Content-MD5 gives.', {
        faults: [{ path: 'header.content-md5', message: 'differs from the MD5 of the body' }],
      })
    }
    grown += blob.size - freed
    return { upload, blob }
  }
}

/** Stores one object; `created` tells whether its key was free. `wanted` is called when its bytes may come. */
export async function putObject(
  ctx: Ctx,
  bucket: string,
  upload: Upload,
  conditions: WriteConditions,
  wanted: () => void,
): Promise<{ object: StoredObject; created: boolean }> {
  allow(ctx.actor, 'write', bucket, upload.key)
  const receive = await receiver(ctx, bucket)
  if (conditions.ifNoneMatch !== undefined || conditions.ifMatch !== undefined)
    assertConditions(await store.findObject(ctx.db, bucket, upload.key), conditions)
  const received = await receive(upload, wanted)
  const [placed] = await placeAll(ctx, bucket, [received], conditions)
  return placed as { object: StoredObject; created: boolean }
}

/** Makes received bytes visible, all or none, each an `upload`; if that fails they are discarded. */
export async function placeAll(
  ctx: Ctx,
  bucketName: string,
  received: readonly Received[],
  conditions: WriteConditions = {},
): Promise<{ object: StoredObject; created: boolean }[]> {
  try {
    return await ctx.act(async (tx, record) => {
      const bucket = await holdBucket(tx, bucketName)
      const placed = new Map<Received, { object: StoredObject; created: boolean }>()
      const change = { bytes: 0, objects: 0, trash_bytes: 0 }
      // In key order, so that two uploads of the same keys cannot wait for each other.
      for (const one of received.toSorted((a, b) => (a.upload.key < b.upload.key ? -1 : 1))) {
        const { growth, ...result } = await place(tx, ctx, bucket, one, conditions, record)
        placed.set(one, result)
        change.bytes += growth.bytes
        change.objects += growth.objects
        change.trash_bytes += growth.trash_bytes
      }
      // Once and last, for the same reason: files counted one by one made every second pair of forms a deadlock.
      await countUsage(tx, bucket, change)
      return received.flatMap((one) => placed.get(one) ?? [])
    })
  } catch (error) {
    await discardBlobs(
      ctx,
      received.map(({ blob }) => blob.id),
    )
    throw error
  }
}

/** Step: makes received bytes the object of their key and gives what is to be counted. */
async function place(
  tx: Tx,
  ctx: Ctx,
  bucket: HeldBucket,
  { upload, blob }: Received,
  conditions: WriteConditions,
  record: Record,
) {
  const now = ctx.now().toISOString()
  const row: store.ObjectRow = {
    bucket_id: bucket.id,
    key: upload.key,
    blob_id: blob.id,
    size: blob.size,
    etag: blob.md5,
    sha256: blob.sha256,
    content_type: upload.content_type,
    metadata: JSON.stringify(upload.metadata),
    created_at: now,
    last_modified: now,
    created_by: ctx.actor.user_id,
  }
  const old = await insertOrLock(tx, row, conditions)
  assertConditions(old, conditions)
  let trashId: string | null = null
  if (old) {
    trashId = await moveToTrash(tx, ctx, bucket, old, 'overwritten')
    await store.replaceObject(tx, row)
    row.created_at = old.created_at
  }
  const growth = {
    bytes: row.size - (old?.size ?? 0),
    objects: old ? 0 : 1,
    trash_bytes: trashId === null ? 0 : (old?.size ?? 0),
  }
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
    },
  })
  return { object: describeObject(row, bucket.name), created: !old, growth }
}

/**
 * Inserts the row, or gives the locked row that has the key already. With If-Match there must be one, so nothing is
 * inserted.
 */
async function insertOrLock(tx: Tx, row: store.ObjectRow, { ifMatch }: WriteConditions) {
  for (;;) {
    if (ifMatch === undefined && (await store.insertObject(tx, row))) return undefined
    const old = await store.lockObject(tx, row.bucket_id, row.key)
    if (old || ifMatch !== undefined) return old
  }
}

function assertConditions(old: store.ObjectRow | undefined, { ifNoneMatch, ifMatch }: WriteConditions): void {
  if (ifNoneMatch !== undefined && old && matchesEtag(ifNoneMatch, old.etag))
    throw new ServiceError('precondition_failed', `The key "${old.key}" is taken.`)
  if (ifMatch !== undefined && !(old && matchesStrongly(ifMatch, old.etag)))
    throw new ServiceError('precondition_failed', 'The object is not, or no longer, the one that If-Match names.')
}

/** The object someone may read; throws `forbidden` or `not_found`. */
export async function getObject(ctx: Ctx, bucket: string, key: string): Promise<store.ObjectRow> {
  allow(ctx.actor, 'read', bucket, key)
  const row = await store.findObject(ctx.db, bucket, key)
  if (row) return row
  throw (await findBucket(ctx.db, bucket)) ? objectMissing(bucket, key) : bucketMissing(bucket)
}
const objectMissing = (bucket: string, key: string) =>
  new ServiceError('not_found', `There is no object "${key}" in bucket "${bucket}".`)

/** Deletes an object: to the trash, or with `permanent` for good, which needs `manage`. */
export async function deleteObject(
  ctx: Ctx,
  bucketName: string,
  key: string,
  { permanent, ifMatch }: { permanent: boolean; ifMatch?: string | undefined },
): Promise<undefined> {
  allow(ctx.actor, 'delete', bucketName, key)
  if (permanent) allow(ctx.actor, 'manage', bucketName, key)
  await ctx.act(async (tx, record) => {
    const bucket = await holdBucket(tx, bucketName)
    const old = await store.lockObject(tx, bucket.id, key)
    if (!old) throw objectMissing(bucketName, key)
    assertConditions(old, { ifMatch })
    await store.deleteObject(tx, bucket.id, key)
    const trashId = permanent ? null : await moveToTrash(tx, ctx, bucket, old, 'deleted')
    if (permanent) await releaseBlobs(tx, ctx, [old.blob_id])
    await countUsage(tx, bucket, { bytes: -old.size, objects: -1, trash_bytes: trashId === null ? 0 : old.size })
    record({
      name: 'delete',
      bucket: bucketName,
      key,
      details: {
        size: old.size,
        permanent: trashId === null,
        ...(trashId === null ? {} : { trash_id: trashId }),
      },
    })
  })
}

/** Step: makes contents visible again under their key; undefined when the key is taken. */
export const reinstate = async (tx: Tx, bucket: HeldBucket, row: store.ObjectRow): Promise<StoredObject | undefined> =>
  (await store.insertObject(tx, row)) ? describeObject(row, bucket.name) : undefined
