import { ServiceError } from '../../../contract/errors.ts'
import { MAX_PARTS, type Upload } from '../../../contract/uploads.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { DAY_MS, MINUTE_MS } from '../../base/time.ts'
import { releaseBlobs } from '../../blobs/collector.ts'
import { allow, allowSomewhere, type Ctx } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { encryptionField } from '../../encryption/describe.ts'
import { isReached, permits } from '../../iam/decide.ts'
import { askedBy } from '../buckets/encryption.ts'
import { bucketMissing, countUsage, holdAnyBucket } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { beginUpload, type InitUpload, partSizeFor, partsOf } from './begin.ts'
import { askedChecksum, planChecksum } from './checksum.ts'
import { lapseIdle } from './lapse.ts'
import { describePart } from './parts.ts'
import { isOver, receivedParts } from './receive.ts'
import * as store from './store.ts'
import { partUrls } from './urls.ts'

const FIRST_URLS = 1000

export const uploadMissing = () =>
  new ServiceError('not_found', 'There is no such open upload in this bucket.', { missing: 'upload' })

/** Starts a planned upload; needs `write` on the key. Reserves its size under the quota. */
export async function initUpload(
  ctx: Ctx,
  name: string,
  { part_size, file_size, checksum, encryption, ...body }: InitUpload,
) {
  // Before anything of the request is judged.
  allow(ctx.actor, 'write', name, body.key)
  const row = await beginUpload(ctx, name, {
    ...body,
    file_size,
    part_size: partSizeFor(part_size, file_size),
    checksum: checksum && planChecksum(checksum.algorithm, checksum.type),
    encryption: askedBy(encryption),
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

function describe(bucket: string, row: store.UploadRow, received = { parts: 0, bytes: 0 }): Upload {
  const checksum = askedChecksum(row)
  return {
    upload_id: row.id,
    bucket,
    key: row.key,
    file_size: row.file_size,
    part_size: row.part_size,
    num_parts: partsOf(row),
    ...(checksum && { checksum }),
    ...encryptionField(row),
    expires_at: row.expires_at,
    created_at: row.created_at,
    created_by: row.created_by,
    received_parts: received.parts,
    received_bytes: received.bytes,
  }
}

/**
 * An upload in a bucket, for a caller who may write its key; for everyone else it does not exist. Nor does one through a
 * share link, which only its sender goes on with, unless `ofLinks`.
 */
export async function openUpload(
  ctx: Ctx,
  name: string,
  id: string,
  { ofLinks = false } = {},
): Promise<store.UploadRow> {
  allowSomewhere(ctx.actor, 'write', name)
  const bucket = await findBucket(ctx.db, name)
  const row = await store.findUpload(ctx.db, id)
  if (!bucket || !row || row.bucket_id !== bucket.id || isOver(row, ctx.now())) throw uploadMissing()
  if (!permits(ctx.actor, 'write', name, row.key)) throw uploadMissing()
  if (row.share_id !== null && !ofLinks) throw uploadMissing()
  // An agent deals with its own, and those through its links: a part of another one, or its end, is no change that is kept.
  if (ctx.actor.agent && row.created_with !== ctx.actor.agent.id) throw uploadMissing()
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
  const { agent } = ctx.actor
  const mine = page.filter(
    (row) =>
      !isOver(row, ctx.now()) && isReached(ranges, row.key) && (agent === undefined || row.created_with === agent.id),
  )
  return {
    items: mine.map((row) => describe(name, row, sums.get(row.id))),
    next_cursor,
  }
}

/** How long an upload that has ended is remembered for clients that did not receive the response. */
export const REMEMBERED_MS = DAY_MS

/**
 * Aborts an upload: deletes its parts and releases what it reserved. `isRemembered`: whether it is still known for a day
 * that there was one.
 */
export async function abortUpload(
  ctx: Ctx,
  name: string,
  id: string,
  { isRemembered = false } = {},
): Promise<undefined> {
  const row = await openUpload(ctx, name, id, { ofLinks: true })
  if (row.completed_at !== null || !(await dropUpload(ctx, row.id, isRemembered))) throw uploadMissing()
}

/**
 * Expires the upload first, so that no process completes it while its parts are deleted; then deletes the parts, then
 * the row, or all but what shows that it has ended. The sweeper retries whatever a crash leaves. False if it was completed
 * meanwhile or is gone.
 */
export async function dropUpload(ctx: Ctx, id: string, isRemembered = false): Promise<boolean> {
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
    if (isRemembered) await forget(tx, row.id, ctx.now())
    else await store.deleteUpload(tx, row.id)
    if (latest.blob_id !== null) await releaseBlobs(step, [latest.blob_id])
  })
  return true
}

/** Step: leaves of an aborted upload that there was one, as of one that was completed to nothing. */
async function forget(tx: Tx, id: string, now: Date): Promise<void> {
  await store.deleteParts(tx, id)
  await store.updateUpload(tx, id, {
    blob_id: null,
    reserved: 0,
    result: null,
    metadata: '{}',
    headers: null,
    tags: null,
    acl: null,
    lock: null,
    completed_at: now.toISOString(),
    expires_at: new Date(now.getTime() + REMEMBERED_MS).toISOString(),
  })
}

/** Step: ends the open uploads through a share link; the sweeper then removes them. */
export const endUploadsOfLink = (tx: Tx, shareId: string, now: Date) => store.expireOfLink(tx, shareId, now)

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
