import { ServiceError } from '../../../contract/errors.ts'
import { compareKeys, decide } from '../../../contract/permissions.ts'
import type { Checksum, ChecksumAlgorithm, ObjectHeaders, Tags } from '../../../contract/shapes.ts'
import { DEFAULT_PART_BYTES, MAX_PARTS, MIN_PART_BYTES, type Upload } from '../../../contract/uploads.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { newId } from '../../base/id.ts'
import { typeOf } from '../../base/media-type.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { releaseBlobs } from '../../blobs/collector.ts'
import { takeBlobId } from '../../blobs/id-pool.ts'
import { allow, allowSomewhere, type Ctx, currentActor } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { bucketMissing, countUsage, holdAnyBucket, holdBucket } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { assertWritable } from '../buckets/writable.ts'
import { lockOf, rightsToWrite, type WantedLock } from '../locks/lock.ts'
import { metadataText, textUnlessEmpty } from '../objects/describe.ts'
import { type ChecksumPlan, planChecksum, plannedChecksum } from './checksum.ts'
import { lapseIdle } from './lapse.ts'
import { describePart } from './parts.ts'
import { freeUntil, isOver, type OpenUpload, receivedParts } from './received.ts'
import * as store from './store.ts'
import { partUrls } from './urls.ts'

const FIRST_URLS = 1000

export const uploadMissing = () =>
  new ServiceError('not_found', 'There is no such open upload in this bucket.', { missing: 'upload' })

/** Size of every part but the last: as requested, otherwise large enough for 10,000 parts to hold the file. */
function partSizeFor(asked: number | undefined, fileSize: number | undefined): number {
  const size =
    asked ?? Math.max(DEFAULT_PART_BYTES, Math.ceil((fileSize ?? 0) / MAX_PARTS / MIN_PART_BYTES) * MIN_PART_BYTES)
  if (fileSize === undefined || Math.ceil(fileSize / size) <= MAX_PARTS) return size
  throw new ServiceError('invalid_request', `Parts of ${size} bytes would make more than ${MAX_PARTS} parts.`, {
    faults: [{ path: 'body.part_size', message: `makes more than ${MAX_PARTS} parts` }],
  })
}

/** How many parts a size makes; an empty file is one empty part. */
const partsOf = (row: Pick<store.UploadRow, 'file_size' | 'part_size'>): number | null =>
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
}

/** Starts a planned upload; needs `write` on the key. Reserves its size under the quota. */
export async function initUpload(ctx: Ctx, name: string, { part_size, file_size, checksum, ...body }: InitUpload) {
  // Before anything of the request is judged.
  allow(ctx.actor, 'write', name, body.key)
  const row = await beginUpload(ctx, name, {
    ...body,
    file_size,
    part_size: partSizeFor(part_size, file_size),
    checksum: checksum && planChecksum(checksum.algorithm, checksum.type),
  })
  const count = partsOf(row) ?? FIRST_URLS
  const urls = await partUrls(ctx, row, 1, Math.min(count, FIRST_URLS))
  const {
    created_at: _at,
    created_by: _by,
    received_parts: _parts,
    received_bytes: _bytes,
    ...upload
  } = describe(name, row)
  return { ...upload, urls: urls.map(({ url }) => url) }
}

/** An upload to begin: planned if its parts have a size, else free. */
export interface NewUpload extends Omit<InitUpload, 'checksum'> {
  checksum?: ChecksumPlan | undefined
  /** Kept and shown, without effect. */
  storageClass?: string | undefined
  /** The object's ACL, as its row has it. */
  acl?: string | null | undefined
  /** What is to be locked of the object. */
  lock?: WantedLock | undefined
}

/** Starts an upload; needs `write` on the key. Reserves its size, if it is announced, under the quota. */
export async function beginUpload(ctx: Ctx, name: string, upload: NewUpload): Promise<OpenUpload> {
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
  const rights = rightsToWrite(lock)
  for (const right of rights) allow(ctx.actor, right, name, key)
  const text = metadataText(metadata)
  const found = await findBucket(ctx.db, name)
  if (!found) throw bucketMissing(name)
  assertWritable(found)
  const settings = await settingsInForce(ctx)
  const blob_id = await takeBlobId(ctx, found.storage_id)
  const handle = await ctx.blobs.beginParts(blob_id)
  const now = ctx.now()
  try {
    return await ctx.upkeep(async (step) => {
      const { tx } = step
      const bucket = await holdBucket(tx, name)
      const actor = await currentActor(step)
      for (const right of rights) allow(actor, right, name, key)
      lockOf(bucket, now, lock)
      await assertFewOpen(tx, ctx)
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
        kind: part_size === undefined ? 'free' : 'planned',
        file_size: file_size ?? null,
        part_size: part_size ?? 0,
        checksum_algorithm: checksum?.algorithm ?? null,
        checksum_type: checksum?.type ?? null,
        reserved: file_size ?? 0,
        created_at: now.toISOString(),
        created_by: ctx.actor.user_id,
        created_with: ctx.actor.token_id,
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

function describe(bucket: string, row: store.UploadRow, received = { parts: 0, bytes: 0 }): Upload {
  const checksum = plannedChecksum(row)
  return {
    upload_id: row.id,
    bucket,
    key: row.key,
    file_size: row.file_size,
    part_size: row.part_size,
    num_parts: partsOf(row),
    ...(checksum && { checksum }),
    expires_at: row.expires_at,
    created_at: row.created_at,
    created_by: row.created_by,
    received_parts: received.parts,
    received_bytes: received.bytes,
  }
}

/** An upload in a bucket, for a caller who may write its key; for everyone else it does not exist. */
export async function openUpload(ctx: Ctx, name: string, id: string): Promise<store.UploadRow> {
  allowSomewhere(ctx.actor, 'write', name)
  const bucket = await findBucket(ctx.db, name)
  const row = await store.findUpload(ctx.db, id)
  if (!bucket || !row || row.bucket_id !== bucket.id || isOver(row, ctx.now())) throw uploadMissing()
  if (!decide(ctx.actor.groups, 'write', name, row.key).allowed) throw uploadMissing()
  return row
}

/** The parts received, and URLs for those missing, among the requested part numbers. */
export async function getUpload(ctx: Ctx, name: string, id: string, { from = 1, limit = 1000 }) {
  const row = await openUpload(ctx, name, id)
  if (row.completed_at !== null) throw uploadMissing()
  const parts = await receivedParts(ctx, row)
  const there = new Set(parts.map(({ part_number }) => part_number))
  const last = Math.min(from + limit - 1, partsOf(row) ?? MAX_PARTS)
  const received = { parts: parts.length, bytes: parts.reduce((sum, { size }) => sum + size, 0) }
  const urls = row.kind === 'free' ? [] : await partUrls(ctx, row, from, last)
  return {
    ...describe(name, row, received),
    parts: parts.map(describePart),
    urls: urls.filter(({ part_number }) => !there.has(part_number)),
  }
}

/** A bucket's open uploads that the caller may write to, latest first. */
export async function listUploads(ctx: Ctx, name: string, limit: number, cursor: string | undefined) {
  const ranges = allowSomewhere(ctx.actor, 'write', name)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  const [before] = decodeCursor(cursor, 1) ?? []
  const rows = await store.listUploads(ctx.db, bucket.id, before, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [id])
  const sums = await store.sumParts(
    ctx.db,
    page.map(({ id }) => id),
  )
  const mine = page.filter(
    (row) =>
      !isOver(row, ctx.now()) &&
      ranges.some(({ from, to }) => compareKeys(row.key, from) >= 0 && (to === null || compareKeys(row.key, to) < 0)),
  )
  return {
    items: mine.map((row) => describe(name, row, sums.get(row.id))),
    next_cursor,
  }
}

/** Aborts an upload: deletes its parts and releases what it reserved. */
export async function abortUpload(ctx: Ctx, name: string, id: string): Promise<undefined> {
  const row = await openUpload(ctx, name, id)
  if (row.completed_at !== null || !(await dropUpload(ctx, row.id))) throw uploadMissing()
}

/**
 * Expires the upload first, so that no process completes it while its parts are deleted; then deletes the parts, then
 * the row. The sweeper retries whatever a crash leaves. False if it was completed meanwhile or is gone.
 */
async function dropUpload(ctx: Ctx, id: string): Promise<boolean> {
  const row = await ctx.upkeep(async ({ tx }) => {
    const found = await store.lockUpload(tx, id)
    if (found?.completed_at === null) await store.updateUpload(tx, id, { expires_at: found.created_at })
    return found
  })
  if (!row || (row.completed_at !== null && !isOver(row, ctx.now()))) return false
  if (row.blob_id !== null) await ctx.blobs.abortParts(row.blob_id, row.handle)
  await ctx.upkeep(async (step) => {
    const { tx } = step
    const bucket = await holdAnyBucket(tx, row.bucket_id)
    const latest = await store.lockUpload(tx, row.id)
    if (!latest) return
    if (bucket && latest.reserved > 0) await countUsage(tx, bucket, { reserved: -latest.reserved })
    await store.deleteUpload(tx, row.id)
    if (latest.blob_id !== null) await releaseBlobs(step, [latest.blob_id])
  })
  return true
}

const PAGE = 500
/**
 * Aborts uploads that were not completed in time, and deletes completed ones. Their blobs are left to the collector.
 */
export const sweeper = {
  name: 'upload-sweeper',
  every: MINUTE_MS,
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    for (let last: store.UploadRow | undefined; !ctx.stopping.aborted; ) {
      const page = await store.findExpired(ctx.db, ctx.now(), last, PAGE)
      for (const { id } of page)
        try {
          await dropUpload(ctx, id)
        } catch (error) {
          // The remaining uploads must not wait for one that the storage refuses to abort.
          ctx.log.error({ err: error, upload: id }, 'could not abort an expired upload')
        }
      last = page.at(-1)
      if (page.length < PAGE) break
    }
    await lapseIdle(ctx)
  },
}
