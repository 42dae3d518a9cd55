import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../contract/errors.ts'
import { noteRead } from '../audit/reads.ts'
import type { BlobDriver, ByteRange } from '../blobs/driver.ts'
import type { Ctx } from '../context.ts'
import { evaluateConditions, parseRanges, rangeApplies } from '../http/conditions.ts'
import { countDownload } from '../usage/traffic.ts'
import { getObject } from './service.ts'
import type { ObjectRow } from './store.ts'

/** Types a browser may show in place; everything else it is told to save. */
const INLINE = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'video/mp4',
  'video/webm',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'application/pdf',
  'text/plain',
])
/** What a user uploaded never runs as a page of ours, whatever its type. */
const SAFETY = {
  'cache-control': 'private, no-cache',
  'content-security-policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** The same where a URL was signed to be shown by our own pages: other sites still cannot frame it. */
const FRAMED = {
  'content-security-policy': `${SAFETY['content-security-policy']}; frame-ancestors 'self'`,
  'x-frame-options': 'SAMEORIGIN',
}

/** Answers GET and HEAD of an object with all of RFC 9110's conditions and ranges. */
export async function sendObject(
  ctx: Ctx,
  { bucket, key, ...naming }: { bucket: string; key: string; embed?: boolean } & Naming,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const row = await getObject(ctx, bucket, key)
  noteRead(ctx, reply, { bucket, key, size: row.size, via: 'download' })
  return sendContents(ctx, row, naming, request, reply)
}

/** What a GET or HEAD of an object is answered with: its status, and the ranges that a 206 gives. */
export interface ContentsAnswer {
  status: 200 | 206 | 304 | 412 | 416
  ranges: readonly ByteRange[]
}

/** What a request's conditions and ranges come to for an object. */
export function answerTo({ method, headers }: FastifyRequest, row: ObjectRow): ContentsAnswer {
  const validators = { etag: row.etag, last_modified: new Date(row.last_modified) }
  const verdict = evaluateConditions(headers, validators)
  if (verdict !== 200) return { status: verdict, ranges: [] }
  const ranges =
    method === 'GET' && rangeApplies(headers, validators) ? parseRanges(headers.range, row.size) : undefined
  if (ranges === 'unsatisfiable') return { status: 416, ranges: [] }
  return ranges ? { status: 206, ranges } : { status: 200, ranges: [] }
}

/** The same for an object that the caller was found to be allowed to read. */
export function sendContents(
  ctx: Ctx,
  row: ObjectRow,
  { cacheControl, embed = false, ...naming }: Naming & { cacheControl?: string; embed?: boolean },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  const { status, ranges } = answerTo(request, row)
  reply.headers(SAFETY)
  if (embed) reply.headers(FRAMED)
  if (cacheControl !== undefined) reply.header('cache-control', cacheControl)
  reply.header('etag', `"${row.etag}"`)
  reply.header('last-modified', new Date(row.last_modified).toUTCString())
  if (status === 412) throw new ServiceError('precondition_failed', 'The object is not the one the conditions name.')
  if (status === 304) return reply.code(304).send()

  countDownload(ctx, row.bucket_id, reply)
  reply.header('accept-ranges', 'bytes')
  reply.header('content-disposition', contentDispositionOf(row, naming))
  for (const [name, value] of Object.entries(JSON.parse(row.metadata) as { [name: string]: string }))
    reply.header(`x-meta-${name}`, asHeader(value))
  if (status === 416)
    throw new ServiceError('range_not_satisfiable', `The object has ${row.size} bytes.`, {
      headers: { 'content-range': `bytes */${row.size}` },
    })
  if (ranges.length > 1) return sendParts(ctx.blobs, row, ranges, reply)

  reply.header('content-type', row.content_type)
  const [range] = ranges
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${row.size}`)
  reply.header('content-length', range ? range.end - range.start + 1 : row.size)
  if (request.method === 'HEAD') return reply.send()
  return ctx.blobs.get(row.blob_id, row.size, range).then((body) => reply.send(body))
}

/** Several ranges as multipart/byteranges (RFC 9110 section 14.6), read one after the other. */
function sendParts(blobs: BlobDriver, row: ObjectRow, ranges: readonly ByteRange[], reply: FastifyReply): FastifyReply {
  const boundary = randomBytes(18).toString('hex')
  const heads = ranges.map(
    ({ start, end }) =>
      `\r\n--${boundary}\r\nContent-Type: ${row.content_type}\r\nContent-Range: bytes ${start}-${end}/${row.size}\r\n\r\n`,
  )
  const tail = `\r\n--${boundary}--\r\n`
  const length =
    ranges.reduce((sum, { start, end }, i) => sum + Buffer.byteLength(heads[i] ?? '') + end - start + 1, 0) +
    tail.length
  async function* body() {
    for (const [i, range] of ranges.entries()) {
      yield Buffer.from(heads[i] ?? '')
      const part = await blobs.get(row.blob_id, row.size, range)
      if (part instanceof Readable) yield* part as AsyncIterable<Uint8Array>
      else yield part
    }
    yield Buffer.from(tail)
  }
  return reply
    .code(206)
    .header('content-type', `multipart/byteranges; boundary=${boundary}`)
    .header('content-length', length)
    .send(Readable.from(body(), { objectMode: false }))
}

/** Header values travel as Latin-1 characters; ours are UTF-8 in them, as they came. */
const asHeader = (text: string): string => Buffer.from(text).toString('latin1')

export interface Naming {
  /** Always as an attachment. */
  download: boolean
  filename?: string | undefined
  /** In place, where its type is harmless, or as an attachment: what a link says. */
  disposition?: 'inline' | 'attachment' | undefined
}

/** The Content-Disposition of an object: in place only where its type is harmless and no download was asked for. */
export function contentDispositionOf(row: ObjectRow, { download, filename, disposition }: Naming): string {
  const name = filename ?? row.key.split('/').findLast((segment) => segment !== '') ?? 'object'
  const inline =
    !download &&
    disposition !== 'attachment' &&
    INLINE.has(row.content_type.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  return contentDisposition(name, { type: inline ? 'inline' : 'attachment' })
}
