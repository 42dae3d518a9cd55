import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../contract/errors.ts'
import { actorOfUser } from '../auth/service.ts'
import { assertRoom, countUsage, holdBucket, roomOf } from '../buckets/service.ts'
import { allow, type Ctx } from '../context.ts'
import { contentMd5, expectBody } from '../http/body.ts'
import { readClaims, signClaims } from '../signature.ts'
import * as store from './store.ts'

const PURPOSE = 'upload-part'
const URL_SECONDS = 24 * 3600

interface Claims {
  upload: string
  part: number
  /** Milliseconds since the epoch. */
  until: number
}

/** URLs of the parts with these numbers; straight to the storage where it takes them itself. */
export async function partUrls(ctx: Ctx, row: store.UploadRow, from: number, to: number) {
  const expiresIn = URL_SECONDS
  const until = Math.min(Date.parse(row.expires_at), ctx.now().getTime() + expiresIn * 1000)
  const urls: { part_number: number; url: string }[] = []
  for (let part_number = from; part_number <= to; part_number++) {
    const size = sizeOfPart(row, part_number)
    const direct = await ctx.blobs.partUrl(row.blob_id ?? '', row.handle, part_number, { expiresIn, size })
    const claims: Claims = { upload: row.id, part: part_number, until }
    const token = signClaims(ctx.config, PURPOSE, claims)
    urls.push({ part_number, url: direct ?? `${ctx.config.publicBaseUrl}/api/v1/parts/${token}` })
  }
  return urls
}

/** Bytes a part has; where the whole size is not known, of a part that is not the last. */
function sizeOfPart({ file_size, part_size }: store.UploadRow, number: number): number {
  return file_size === null ? part_size : Math.max(0, Math.min(part_size, file_size - (number - 1) * part_size))
}

/**
 * Stores the body of a PUT as one part; sent again it replaces the one before. It ends with the right, the account or the
 * token of whoever began the upload. Its bytes are reserved under the quota where the whole size was not announced.
 */
export async function receivePart(
  ctx: Ctx,
  token: string,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
) {
  const claims = readClaims<Claims>(ctx.config, PURPOSE, token)
  if (!claims || claims.until <= ctx.now().getTime())
    throw new ServiceError('forbidden', 'This URL is not valid or has expired; ask for fresh ones.')
  const row = await store.findUpload(ctx.db, claims.upload)
  if (!row || row.completed_at !== null || row.blob_id === null)
    throw new ServiceError('not_found', 'The upload is not open any more.')
  const bucket = await store.bucketNameOf(ctx.db, row.bucket_id)
  const actor = await actorOfUser(ctx, row.created_by ?? '', row.created_with)
  if (!actor || bucket === undefined)
    throw new ServiceError('forbidden', 'Whoever began this upload cannot go on with it.')
  allow(actor, 'write', bucket, row.key)
  const size = announcedSize(request, row, claims.part)
  const expected = contentMd5(request.headers['content-md5'])
  if (row.file_size === null) await reserve(ctx, bucket, row, claims.part, size, 'check')
  expectBody(request, reply)

  const hash = createHash('md5')
  async function* measured() {
    for await (const chunk of request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      hash.update(chunk)
      yield chunk
    }
    if (expected !== undefined && hash.copy().digest('hex') !== expected)
      throw new ServiceError('malformed', 'The body does not have the MD5 that Content-MD5 gives.', {
        faults: [{ path: 'header.content-md5', message: 'differs from the MD5 of the body' }],
      })
  }
  const ref = await ctx.blobs.putPart(row.blob_id, row.handle, claims.part, measured(), size)
  const etag = hash.digest('hex')
  await reserve(ctx, bucket, row, claims.part, size, { etag, ref })
  reply.header('etag', `"${etag}"`)
  return { part_number: claims.part, etag, size }
}

/** The Content-Length, which must be that of the part: every one but the last has the same. */
function announcedSize({ headers }: FastifyRequest, row: store.UploadRow, number: number): number {
  if (headers['content-length'] === undefined)
    throw new ServiceError('length_required', 'Send the part with a Content-Length.')
  const size = Number(headers['content-length'])
  const wanted = sizeOfPart(row, number)
  if (row.file_size === null ? size <= wanted : size === wanted) return size
  if (size > wanted) throw new ServiceError('too_large', `Part ${number} has ${wanted} bytes, not ${size}.`)
  throw new ServiceError('malformed', `Part ${number} has ${wanted} bytes, not ${size}.`, {
    faults: [{ path: 'header.content-length', message: `must be ${wanted}` }],
  })
}

/** Checks, or counts and writes down, one part; without an announced size its bytes are reserved with it. */
async function reserve(
  ctx: Ctx,
  name: string,
  { id, file_size }: store.UploadRow,
  part_number: number,
  size: number,
  part: 'check' | { etag: string; ref: string },
): Promise<void> {
  await ctx.upkeep(async (tx) => {
    const bucket = file_size === null ? await holdBucket(tx, name) : undefined
    const row = await store.lockUpload(tx, id)
    if (!row || row.completed_at !== null) throw new ServiceError('not_found', 'The upload is not open any more.')
    if (bucket) {
      const before = await store.findPart(tx, id, part_number)
      const growth = size - (before?.size ?? 0)
      if (part === 'check') return growth > 0 ? assertRoom(name, roomOf(bucket), growth) : undefined
      if (growth !== 0) await countUsage(tx, bucket, { reserved: growth })
      await store.updateUpload(tx, id, { reserved: row.reserved + growth })
    }
    if (part === 'check') return
    const received_at = ctx.now().toISOString()
    await store.upsertPart(tx, { upload_id: id, part_number, size, ...part, received_at })
  })
}
