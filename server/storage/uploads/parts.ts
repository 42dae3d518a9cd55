import { type KeyObject, randomBytes } from 'node:crypto'
import { ServiceError } from '../../../contract/errors.ts'
import type { ChecksumAlgorithm } from '../../../contract/shapes.ts'
import { MAX_PART_BYTES } from '../../../contract/uploads.ts'
import { assertBytesLeft, spendBytes } from '../../access/agent-limits/budget.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { malformedHeader } from '../../base/invalid.ts'
import { takeRoom } from '../../blobs/room.ts'
import { startSumming } from '../../blobs/summing.ts'
import { packPartSums, segmentOf, summed } from '../../blobs/sums.ts'
import { assertSigned } from '../../blobs/write.ts'
import { allow, type Ctx, currentActor, type Upkeep } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { BlobMissing, type StoredPart } from '../../drivers/driver.ts'
import { storageOf } from '../../drivers/routing/ids.ts'
import { SALT_BYTES } from '../../encryption/envelope.ts'
import { assertCustomerKey, openRow } from '../../encryption/sealing.ts'
import type { BlobKey } from '../../segments/cipher.ts'
import { SegmentSums } from '../../segments/sums.ts'
import { writeSegments } from '../../segments/write.ts'
import { countUsage, type HeldBucket, holdAnyBucket } from '../buckets/service.ts'
import { findBucketName } from '../buckets/store.ts'
import type { Upload as Body } from '../objects/receive.ts'
import { countSender } from '../usage/reservations/reserve.ts'
import { countUpload } from '../usage/traffic.ts'
import { plannedChecksum } from './checksum.ts'
import { checksumJson } from './choose.ts'
import { freeUntil, isOver, type OpenUpload, storedSizeOfPart } from './receive.ts'
import * as store from './store.ts'

/** A planned part's size in bytes; if the total size is unknown, that of any part but the last. */
export function sizeOfPart({ file_size, part_size }: store.UploadRow, number: number): number {
  return file_size === null ? part_size : Math.max(0, Math.min(part_size, file_size - (number - 1) * part_size))
}

const closed = () => new ServiceError('not_found', 'The upload is no longer open.', { missing: 'upload' })
const isOpen = (row: store.UploadRow | undefined, now: Date): row is store.UploadRow =>
  row !== undefined && row.completed_at === null && !isOver(row, now)

/** What is known of a part. */
type PartFacts = Omit<store.PartRow, 'upload_id' | 'received_at'>

/** A part as it arrives. */
export interface PartBody extends Pick<Body, 'announced' | 'md5' | 'signed' | 'checksum' | 'source'> {
  /** Stores it without reading the source, where that is possible; else null. */
  share?: (upload: OpenUpload, part: { number: number; size: number }) => Promise<StoredFacts | null>
  /** The key of the client, if its upload is encrypted with one. */
  customerKey?: KeyObject | undefined
  /** Step: throws unless the sender may still write, where that is no right of theirs on the key. */
  permit?: (step: Upkeep) => Promise<void>
}
/** What is known of a part once it is stored. */
export type StoredFacts = Pick<PartFacts, 'ref' | 'etag' | 'checksum' | 'brought' | 'salt' | 'sums'>

/** The upload, if its parts can still be sent; throws not_found otherwise. */
export function assertOpen({ now }: Pick<Ctx, 'now'>, row: store.UploadRow | undefined): OpenUpload {
  if (!isOpen(row, now()) || row.blob_id === null) throw closed()
  return { ...row, blob_id: row.blob_id }
}

/**
 * Stores a body as one part, replacing an earlier one of the same number, for a caller who may write the key. Its bytes
 * are reserved under the quota unless the whole size was announced. Throws malformed if they are not what the client
 * claims.
 */
export async function storePart(
  ctx: Ctx,
  row: OpenUpload,
  part_number: number,
  body: PartBody,
): Promise<Omit<PartFacts, 'ref' | 'salt' | 'sums'>> {
  const size = assertSize(body.announced, row, part_number)
  const key = await keyOf(ctx, row, body)
  const algorithms = checksumAlgorithmsOf(row, body)
  const storage = storageOf(row.blob_id)
  await takeRoom(ctx.config, storage, size, { ahead: true })
  await assertBytesLeft(ctx, 'change_bytes', size)
  const leave = countSender(ctx)
  let held = 0
  let arrived = 0
  async function put(): Promise<StoredFacts> {
    const segmentSums = new SegmentSums(segmentOf(key !== undefined))
    let etag = ''
    const sums = new Map<ChecksumAlgorithm, Buffer>()
    const computed = [
      ...new Set<ChecksumAlgorithm>(['md5', ...(body.signed ? (['sha256'] as const) : []), ...algorithms]),
    ]
    const summing = await startSumming(ctx.config, computed, size)
    async function* measured() {
      for await (const chunk of body.source()) {
        const measuring = takeRoom(ctx.config, storage, chunk.length)
        if (measuring) await measuring
        if (!key) segmentSums.update(chunk)
        arrived += chunk.length
        const waits = summing.update(chunk)
        if (waits) await waits
        yield chunk
      }
      // In here, so that the storage keeps nothing of what is refused.
      for (const [i, sum] of (await summing.digests()).entries()) sums.set(computed[i] as ChecksumAlgorithm, sum)
      etag = sums.get('md5')?.toString('hex') ?? ''
      assertSigned(body.signed, sums.get('sha256')?.toString('hex'))
      if (body.md5 !== undefined && etag !== body.md5) throw malformedHeader('content-md5', 'does not match the body')
      if (body.checksum?.value !== undefined && base64Of(body.checksum.algorithm) !== body.checksum.value)
        throw malformedHeader(`x-checksum-${body.checksum.algorithm}`, 'does not match the body')
    }
    const base64Of = (algorithm: ChecksumAlgorithm) => sums.get(algorithm)?.toString('base64')
    const part = { number: part_number, size: storedSizeOfPart(row, size) }
    const salt = key ? randomBytes(SALT_BYTES) : null
    const stored =
      key && salt ? summed(writeSegments(measured(), key, { part: part_number, salt }), segmentSums) : measured()
    const ref = await ctx.blobs.putPart(row.blob_id, row.handle, part, stored).catch((error: unknown) => {
      summing.drop()
      throw error
    })
    const plan = plannedChecksum(row)
    const other = body.checksum && body.checksum.algorithm !== plan?.algorithm ? body.checksum.algorithm : undefined
    const value = other && plan && base64Of(other)
    return {
      ref,
      etag,
      checksum: (plan && base64Of(plan.algorithm)) ?? null,
      brought: value ? checksumJson({ algorithm: other, value }) : null,
      salt: salt?.toString('hex') ?? null,
      sums: packPartSums(etag, segmentSums),
    }
  }
  try {
    held = await hold(ctx, row, part_number, size)
    const stored = (await body.share?.(row, { number: part_number, size })) ?? (await put())
    const part = { part_number, size, ...stored }
    const former = await writeDown(ctx, row, part, { held, permit: body.permit }).catch(async (error: unknown) => {
      await removePart(ctx, row, { number: part_number, ref: part.ref })
      throw error
    })
    if (former !== undefined && former !== part.ref) await removePart(ctx, row, { number: part_number, ref: former })
    return part
  } catch (error) {
    if (held > 0) await letGo(ctx, row, held)
    if (!(error instanceof BlobMissing)) throw error
    if (!isOpen(await store.findUpload(ctx.db, row.id), ctx.now())) throw closed()
    throw new ServiceError('conflict', 'The upload is being completed. Complete it again, or abort it.')
  } finally {
    leave()
    countUpload(ctx, row.bucket_id, arrived)
  }
}

/** The key with which an upload's parts are encrypted; undefined if they are not. Throws for a wrong one of a client. */
async function keyOf(ctx: Ctx, row: OpenUpload, { customerKey }: PartBody): Promise<BlobKey | undefined> {
  assertCustomerKey(row.encryption, customerKey)
  if (row.envelope === null) return undefined
  return (await openRow(ctx, row.envelope, { id: row.blob_id, customerKey })).key
}

/**
 * The algorithms of the checksums to compute of a part: the one that its upload plans, and another one that is claimed.
 * Throws invalid_request if that is not the one that was asked for.
 */
function checksumAlgorithmsOf(row: OpenUpload, { checksum }: PartBody): ChecksumAlgorithm[] {
  const { checksum_algorithm } = row
  const algorithms = new Set([plannedChecksum(row)?.algorithm, checksum?.algorithm].filter((one) => one !== undefined))
  if (checksum_algorithm === null || checksum === undefined || checksum.algorithm === checksum_algorithm)
    return [...algorithms]
  throw new ServiceError('invalid_request', `The checksums of this upload are by ${checksum_algorithm}.`, {
    faults: [{ path: `header.x-checksum-${checksum.algorithm}`, message: `must be x-checksum-${checksum_algorithm}` }],
  })
}

/** A part as the API describes it. */
export const describePart = ({
  part_number,
  size,
  etag,
  checksum,
}: Pick<PartFacts, 'part_number' | 'size' | 'etag' | 'checksum'>) => ({
  part_number,
  size,
  etag,
  ...(checksum !== null && { checksum }),
})

/** Deletes a part that has no row, or none any more. On failure it stays until the upload is deleted. */
const removePart = (
  { blobs, log }: Ctx,
  { id, blob_id, handle }: OpenUpload,
  part: Pick<StoredPart, 'number' | 'ref'>,
) =>
  blobs
    .removePart(blob_id, handle, part)
    .catch((error: unknown) => log.warn({ err: error, upload: id }, 'could not delete a discarded part'))

/** Throws unless the announced size is the part's: all planned parts but the last have the same size. */
function assertSize(size: number | undefined, row: store.UploadRow, number: number): number {
  if (size === undefined) throw new ServiceError('length_required', 'Send the part with a Content-Length.')
  if (row.kind === 'free' && size > MAX_PART_BYTES)
    throw new ServiceError('too_large', `A part must have at most ${MAX_PART_BYTES} bytes.`)
  if (row.kind === 'free') return size
  const wanted = sizeOfPart(row, number)
  if (row.file_size === null ? size <= wanted : size === wanted) return size
  if (size > wanted) throw new ServiceError('too_large', `Part ${number} must have ${wanted} bytes, not ${size}.`)
  throw new ServiceError('malformed', `Part ${number} must have ${wanted} bytes, not ${size}.`, {
    faults: [{ path: 'header.content-length', message: `must be ${wanted}` }],
  })
}

/** Step: holds an upload's bucket, even if it has been deleted. */
async function holdBucketOf(tx: Tx, { bucket_id }: store.UploadRow) {
  const bucket = await holdAnyBucket(tx, bucket_id)
  if (!bucket) throw closed()
  return bucket
}

/** Whether it reserves only what has arrived: its size is unknown, or no longer reserved. */
const growsWithParts = ({ file_size, lapsed_at }: store.UploadRow): boolean => file_size === null || lapsed_at !== null

/**
 * Unless the whole size is reserved, reserves what a part adds to the upload before its bytes arrive. Returns how much.
 */
async function hold(ctx: Ctx, upload: store.UploadRow, number: number, size: number): Promise<number> {
  if (!growsWithParts(upload)) return 0
  return ctx.upkeep(async ({ tx }) => {
    const bucket = await holdBucketOf(tx, upload)
    const row = await store.lockUpload(tx, upload.id)
    if (!isOpen(row, ctx.now())) throw closed()
    const growth = Math.max(0, size - ((await store.findPart(tx, row.id, number))?.size ?? 0))
    if (growth > 0) await countReserved(tx, bucket, row, growth)
    return growth
  })
}

async function countReserved(tx: Tx, bucket: HeldBucket, row: store.UploadRow, growth: number): Promise<void> {
  await countUsage(tx, bucket, { reserved: growth })
  await store.updateUpload(tx, row.id, { reserved: row.reserved + growth })
}

/** Releases what was reserved for a part that did not arrive. */
const letGo = (ctx: Ctx, upload: store.UploadRow, held: number) =>
  ctx.upkeep(async ({ tx }) => {
    const bucket = await holdBucketOf(tx, upload)
    const row = await store.lockUpload(tx, upload.id)
    // A completed or deleted upload has already released everything.
    if (row && row.completed_at === null) await countReserved(tx, bucket, row, -held)
  })

/**
 * Stores the row of a part that has arrived and of which `held` bytes are already reserved, if the actor may still
 * write the key. Of several senders, the last row stored counts, whoever stored the bytes last. Returns the ref of the
 * part it replaced, which no other sender gets.
 */
const writeDown = (
  ctx: Ctx,
  upload: store.UploadRow,
  part: PartFacts,
  { held, permit }: { held: number; permit: PartBody['permit'] },
): Promise<string | undefined> =>
  ctx.upkeep(async (step) => {
    const { tx } = step
    // A known size is already reserved, so that parts of one bucket need not wait for each other.
    const latest = (await store.findUpload(tx, upload.id)) ?? upload
    const bucket = growsWithParts(latest) ? await holdBucketOf(tx, upload) : undefined
    const row = await store.lockUpload(tx, upload.id)
    if (!isOpen(row, ctx.now())) throw closed()
    const name = await findBucketName(tx, row.bucket_id)
    if (name === undefined) throw closed()
    if (permit) await permit(step)
    else allow(await currentActor(step), 'write', name, row.key)
    const before = await store.findPart(tx, row.id, part.part_number)
    if (bucket) {
      const growth = part.size - (before?.size ?? 0) - held
      if (growth !== 0) await countReserved(tx, bucket, row, growth)
    }
    await spendBytes(step, 'change_bytes', part.size)
    const now = ctx.now()
    await store.upsertPart(tx, { upload_id: row.id, ...part, received_at: now.toISOString() })
    if (row.kind === 'free')
      await store.updateUpload(tx, row.id, { expires_at: freeUntil(now, await settingsInForce(step)) })
    return before?.ref
  })

/**
 * Deletes the rows of parts whose bytes do not match and returns their numbers: bytes were lost, or (on S3, where a
 * part number has one content) two senders of a part stored bytes and rows in different orders.
 */
export async function forgetLostParts(ctx: Ctx, upload: store.UploadRow): Promise<number[]> {
  const stored = new Set((await ctx.blobs.listParts(upload.blob_id ?? '', upload.handle)).map(({ ref }) => ref))
  // No parts at all means that they are already joined.
  if (stored.size === 0) return []
  const lost = (await store.listParts(ctx.db, upload.id)).filter(({ ref }) => !stored.has(ref))
  await ctx.upkeep(async ({ tx }) => {
    const bucket = await holdBucketOf(tx, upload)
    const row = await store.lockUpload(tx, upload.id)
    if (!isOpen(row, ctx.now())) throw closed()
    for (const part of lost) await store.deletePart(tx, part)
    const bytes = lost.reduce((sum, { size }) => sum + size, 0)
    if (growsWithParts(row) && bytes > 0) await countReserved(tx, bucket, row, -bytes)
  })
  return lost.map(({ part_number }) => part_number)
}
