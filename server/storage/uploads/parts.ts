import { createHash } from 'node:crypto'
import { ServiceError } from '../../../contract/errors.ts'
import { actorOnBehalf } from '../../access/sessions/service.ts'
import { malformedHeader } from '../../base/invalid.ts'
import { BlobMissing } from '../../blobs/drivers/driver.ts'
import { allow, type Ctx, currentActor } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { readClaims, signClaims } from '../../secrets/sign.ts'
import { countUsage, type HeldBucket, holdAnyBucket } from '../buckets/service.ts'
import { findBucketName } from '../buckets/store.ts'
import { countSender } from '../incoming/arrival.ts'
import type { Upload as Body } from '../objects/received.ts'
import { countUpload, noteBucket } from '../traffic/traffic.ts'
import { isOver } from './received.ts'
import * as store from './store.ts'

const PURPOSE = 'upload-part'
const URL_SECONDS = 24 * 3600

interface Claims {
  upload: string
  part: number
  /** Who requested the URL, and with which token, if any: it stops working when either does. */
  user: string
  token: string | null
  /** Milliseconds since the epoch. */
  until: number
}

/** URLs for the parts with these numbers; of the storage itself where it accepts them. */
export async function partUrls(ctx: Ctx, row: store.UploadRow, from: number, to: number) {
  const expiresIn = URL_SECONDS
  const until = Math.min(Date.parse(row.expires_at), ctx.now().getTime() + expiresIn * 1000)
  const urls: { part_number: number; url: string }[] = []
  for (let part_number = from; part_number <= to; part_number++) {
    const size = sizeOfPart(row, part_number)
    const direct = await ctx.blobs.partUrl(row.blob_id ?? '', row.handle, part_number, { expiresIn, size })
    const { user_id, token_id } = ctx.actor
    const claims: Claims = { upload: row.id, part: part_number, user: user_id ?? '', token: token_id, until }
    const token = signClaims(ctx.config, PURPOSE, claims)
    urls.push({ part_number, url: direct ?? `${ctx.config.publicBaseUrl}/api/v1/parts/${token}` })
  }
  return urls
}

/** A part's size in bytes; if the total size is unknown, that of any part but the last. */
function sizeOfPart({ file_size, part_size }: store.UploadRow, number: number): number {
  return file_size === null ? part_size : Math.max(0, Math.min(part_size, file_size - (number - 1) * part_size))
}

const closed = () => new ServiceError('not_found', 'The upload is no longer open.')
const isOpen = (row: store.UploadRow | undefined, now: Date): row is store.UploadRow =>
  row !== undefined && row.completed_at === null && !isOver(row, now)

/**
 * Stores a body as one part, replacing an earlier one of the same number. Rejected once the user or token that
 * requested the URL is inactive or lacks the right. Its bytes are reserved under the quota unless the whole size was
 * announced.
 */
export async function receivePart(ctx: Ctx, token: string, body: Pick<Body, 'announced' | 'md5' | 'source'>) {
  const claims = readClaims<Claims>(ctx.config, PURPOSE, token)
  if (!claims || claims.until <= ctx.now().getTime())
    throw new ServiceError('forbidden', 'This URL is invalid or has expired. Request new part URLs.')
  const row = await store.findUpload(ctx.db, claims.upload)
  if (!isOpen(row, ctx.now()) || row.blob_id === null) throw closed()
  const bucket = await findBucketName(ctx.db, row.bucket_id)
  const ended = () =>
    new ServiceError('forbidden', 'The account or token that requested this URL can no longer continue the upload.')
  const actor = await actorOnBehalf(ctx, { user: claims.user, token: claims.token }, ended)
  if (bucket === undefined) throw ended()
  noteBucket(ctx, bucket)
  allow(actor, 'write', bucket, row.key)
  const size = assertSize(body.announced, row, claims.part)
  const expected = body.md5
  const leave = countSender(ctx.as(actor))
  let held = 0
  let arrived = 0
  try {
    held = await hold(ctx, row, claims.part, size)
    const hash = createHash('md5')
    async function* measured() {
      for await (const chunk of body.source()) {
        hash.update(chunk)
        arrived += chunk.length
        yield chunk
      }
      if (expected !== undefined && hash.copy().digest('hex') !== expected)
        throw malformedHeader('content-md5', 'does not match the body')
    }
    const ref = await ctx.blobs.putPart(row.blob_id, row.handle, { number: claims.part, size }, measured())
    const etag = hash.digest('hex')
    const part = { part_number: claims.part, size, etag, ref }
    const former = await writeDown(ctx.as(actor), row, part, held).catch(async (error: unknown) => {
      await removePart(ctx, row, claims.part, ref)
      throw error
    })
    if (former !== undefined && former !== ref) await removePart(ctx, row, claims.part, former)
    return { part_number: claims.part, etag, size }
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

/** Deletes a part that has no row, or none any more. On failure it stays until the upload is deleted. */
const removePart = ({ blobs, log }: Ctx, { id, blob_id, handle }: store.UploadRow, number: number, ref: string) =>
  blobs
    .removePart(blob_id ?? '', handle, { number, ref })
    .catch((error: unknown) => log.warn({ err: error, upload: id }, 'could not delete a discarded part'))

/** Throws unless the announced size is the part's: all parts but the last have the same size. */
function assertSize(size: number | undefined, row: store.UploadRow, number: number): number {
  if (size === undefined) throw new ServiceError('length_required', 'Send the part with a Content-Length.')
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
  part: Pick<store.PartRow, 'part_number' | 'size' | 'etag' | 'ref'>,
  held: number,
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
    allow(await currentActor(step), 'write', name, row.key)
    const before = await store.findPart(tx, row.id, part.part_number)
    if (bucket) {
      const growth = part.size - (before?.size ?? 0) - held
      if (growth !== 0) await countReserved(tx, bucket, row, growth)
    }
    await store.upsertPart(tx, { upload_id: row.id, ...part, received_at: ctx.now().toISOString() })
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
