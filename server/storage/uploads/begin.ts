import type { BucketEncryption } from '../../../contract/encryption.ts'
import { ServiceError } from '../../../contract/errors.ts'
import type { Checksum, ChecksumAlgorithm, ObjectHeaders, Tags } from '../../../contract/shapes.ts'
import { DEFAULT_PART_BYTES, MAX_PARTS, MIN_PART_BYTES } from '../../../contract/uploads.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { newId } from '../../base/id.ts'
import { assertContentType, typeOf } from '../../base/media-type.ts'
import { HOUR_MS } from '../../base/time.ts'
import { takeBlobId } from '../../blobs/id-pool.ts'
import { takeRoom } from '../../blobs/room.ts'
import { type Ctx, currentActor } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { holdKmsKey } from '../../encryption/kms/hold.ts'
import type { WantedEncryption } from '../../encryption/sealing.ts'
import { sealingOf } from '../buckets/encryption.ts'
import { bucketMissing, countUsage, holdBucket } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { assertWritable } from '../buckets/writable.ts'
import { lockOf, type WantedLock } from '../locks/lock.ts'
import { metadataText, textUnlessEmpty } from '../objects/describe.ts'
import { allowLocked } from '../objects/lock-rights.ts'
import type { ChecksumPlan } from './checksum.ts'
import { freeUntil, type OpenUpload } from './receive.ts'
import * as store from './store.ts'

/** Size of every part but the last: as requested, otherwise `least`, or large enough for 10,000 parts to hold the file. */
export function partSizeFor(
  asked: number | undefined,
  fileSize: number | undefined,
  least = DEFAULT_PART_BYTES,
): number {
  const size = asked ?? Math.max(least, Math.ceil((fileSize ?? 0) / MAX_PARTS / MIN_PART_BYTES) * MIN_PART_BYTES)
  if (fileSize === undefined || Math.ceil(fileSize / size) <= MAX_PARTS) return size
  throw new ServiceError('invalid_request', `Parts of ${size} bytes would make more than ${MAX_PARTS} parts.`, {
    faults: [{ path: 'body.part_size', message: `makes more than ${MAX_PARTS} parts` }],
  })
}

/** How many parts a size makes; an empty file is one empty part. */
export const partsOf = (row: Pick<store.UploadRow, 'file_size' | 'part_size'>): number | null =>
  row.file_size === null ? null : Math.max(1, Math.ceil(row.file_size / row.part_size))

export interface InitUpload {
  key: string
  file_size?: number | undefined
  content_type?: string | undefined
  headers?: ObjectHeaders | undefined
  metadata?: { [name: string]: string } | undefined
  tags?: Tags | undefined
  part_size?: number | undefined
  checksum?: { algorithm: ChecksumAlgorithm; type?: Checksum['type'] | undefined } | undefined
  encryption?: BucketEncryption | undefined
}

/** An upload to begin: planned if its parts have a size, else free. */
export interface NewUpload extends Omit<InitUpload, 'checksum' | 'encryption'> {
  checksum?: ChecksumPlan | undefined
  /** Kept and shown, without effect. */
  storageClass?: string | undefined
  /** The object's ACL, as its row has it. */
  acl?: string | null | undefined
  /** What is to be locked of the object. */
  lock?: WantedLock | undefined
  /** How it is to be encrypted; undefined: as the bucket says. */
  encryption?: WantedEncryption | undefined
}

/** The share link that an upload comes through, whose visitors have no rights of their own. */
export interface UploadLink {
  share_id: string
  /** JSON: what the sender says of themselves. */
  sender: string
  attempt_hash: string | null
  /** Step: locks the link, before anything else is locked, and throws unless it takes this upload. */
  admit(tx: Tx): Promise<void>
}

/**
 * Starts an upload; needs `write` on the key, or a link. Reserves its size, if it is announced, under the quota.
 */
export async function beginUpload(ctx: Ctx, name: string, upload: NewUpload, link?: UploadLink): Promise<OpenUpload> {
  const {
    key,
    file_size,
    part_size,
    content_type,
    headers,
    metadata = {},
    tags,
    checksum,
    storageClass = null,
    acl = null,
    lock,
  } = upload
  if (!link) await allowLocked(ctx, name, key, lock)
  assertContentType(content_type, 'body.content_type')
  const text = metadataText(metadata)
  const found = await findBucket(ctx.db, name)
  if (!found) throw bucketMissing(name)
  assertWritable(found)
  await takeRoom(ctx.config, found.storage_id, 0, { ahead: true })
  const settings = await settingsInForce(ctx)
  const sealing = await sealingOf(ctx, found, upload.encryption)
  const blob_id = await takeBlobId(ctx, found.storage_id)
  const handle = await ctx.blobs.beginParts(blob_id)
  const now = ctx.now()
  try {
    return await ctx.upkeep(async (step) => {
      const { tx } = step
      await link?.admit(tx)
      const bucket = await holdBucket(tx, name)
      if (!link) await allowLocked({ ...step, actor: await currentActor(step) }, name, key, lock)
      lockOf(bucket, now, lock)
      await assertFewOpen(tx, ctx)
      if (sealing) await holdKmsKey(tx, sealing.encryption)
      const row: OpenUpload = {
        id: newId(),
        bucket_id: bucket.id,
        key,
        blob_id,
        handle,
        content_type: typeOf(content_type, key),
        headers: textUnlessEmpty(headers),
        metadata: text,
        tags: textUnlessEmpty(tags),
        storage_class: storageClass,
        acl,
        lock: lock ? JSON.stringify(lock) : null,
        encryption: sealing?.encryption ?? null,
        envelope: sealing ? JSON.stringify(sealing.seal(blob_id).envelope) : null,
        kind: part_size === undefined ? 'free' : 'planned',
        file_size: file_size ?? null,
        part_size: part_size ?? 0,
        checksum_algorithm: checksum?.algorithm ?? null,
        checksum_type: checksum?.type ?? null,
        reserved: file_size ?? 0,
        created_at: now.toISOString(),
        created_by: ctx.actor.user_id,
        created_with: ctx.actor.token_id,
        share_id: link?.share_id ?? null,
        sender: link?.sender ?? null,
        attempt_hash: link?.attempt_hash ?? null,
        expires_at:
          part_size === undefined
            ? freeUntil(now, settings)
            : new Date(now.getTime() + settings.uploads.expire_hours * HOUR_MS).toISOString(),
        completed_at: null,
        lapsed_at: null,
        result: null,
      }
      if (row.reserved > 0) await countUsage(tx, bucket, { reserved: row.reserved })
      await store.insertUpload(tx, row)
      return row
    })
  } catch (error) {
    await ctx.blobs.abortParts(blob_id, handle)
    throw error
  }
}

/** Step: throws limit_reached if the caller has as many open uploads as a user may have. */
async function assertFewOpen(tx: Tx, { actor, config }: Ctx): Promise<void> {
  if (actor.user_id === null || config.openUploads === 0) return
  await store.lockCreator(tx, actor.user_id)
  if ((await store.countOpen(tx, actor.user_id)) < config.openUploads) return
  throw new ServiceError('limit_reached', `You have ${config.openUploads} open uploads. Complete or abort one first.`)
}
