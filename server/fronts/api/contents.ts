import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { type ContentDisposition, create as contentDisposition, parse } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import type { Checksum, ObjectHeaders } from '../../../contract/shapes.ts'
import type { ByteRange } from '../../base/byte-range.ts'
import { mediaTypesIn, shownType } from '../../base/media-type.ts'
import type { Ctx } from '../../context.ts'
import { noteRead, type ReadOf } from '../../features/audit/reads.ts'
import { evaluateConditions, parseRanges, rangeApplies } from '../../http/conditions.ts'
import { type Delivery, recycleSent } from '../../http/delivery.ts'
import { type Contents, read } from '../../storage/objects/read.ts'
import type { ObjectRow } from '../../storage/objects/store.ts'
import { reportDelivery } from './delivery.ts'
import { sayEncryption } from './encryption.ts'
import type { Raw } from './handle.ts'

const checksumHeaders = ({ checksums }: ObjectRow): [name: string, value: string][] =>
  checksums === null
    ? []
    : (JSON.parse(checksums) as Checksum[]).map(({ algorithm, value }) => [`x-checksum-${algorithm}`, value])

const NO_HEADERS: ObjectHeaders = {}
const storedHeaders = ({ headers }: ObjectRow): ObjectHeaders => (headers === null ? NO_HEADERS : JSON.parse(headers))

/** Types a browser may display inline; all others are sent as attachments. */
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
/** Uploaded contents never run as a page of ours, whatever their type. */
const SAFETY = {
  'cache-control': 'private, no-cache',
  'content-security-policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** For URLs signed for display in our own pages: other sites still cannot frame it. */
const FRAMED = {
  'content-security-policy': `${SAFETY['content-security-policy']}; frame-ancestors 'self'`,
  'x-frame-options': 'SAMEORIGIN',
}

/** An object, or a version of it; null is the `null` version. */
interface Asked {
  bucket: string
  key: string
  version?: string | null | undefined
}

/** Responds to GET and HEAD of an object with all conditions and ranges of RFC 9110. */
export async function sendObject(
  ctx: Ctx,
  { bucket, key, version, ...naming }: Asked & { embed?: boolean; cacheControl?: string } & Naming,
  raw: Raw,
): Promise<FastifyReply> {
  const contents = await read(ctx, bucket, key, { opens: opensContents(raw.request), version })
  sayEncryption(raw.reply, contents.row)
  return sendContents(audited(ctx, contents, { bucket, via: 'download' }), naming, raw)
}

/** Whether a request will probably be answered with bytes: a condition for caches rarely is. */
export const opensContents = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers['if-none-match'] === undefined && headers['if-modified-since'] === undefined

/** The same contents, with their download recorded. */
export const audited = (ctx: Ctx, contents: Contents, of: Omit<ReadOf, 'key' | 'size'>): Contents => ({
  ...contents,
  delivered(delivery) {
    contents.delivered(delivery)
    const { key, size } = contents.row
    noteRead(ctx, { ...of, key, size }, delivery)
  },
})

/** The response to a GET or HEAD: its status, and the ranges of a 206. */
export interface ContentsAnswer {
  status: 200 | 206 | 304 | 412 | 416
  ranges: readonly ByteRange[]
}

/** Evaluates a request's conditions and ranges for an object. */
function answerTo({ method, headers }: FastifyRequest, row: ObjectRow): ContentsAnswer {
  const validators = { etag: row.etag, last_modified: new Date(row.last_modified) }
  const verdict = evaluateConditions(headers, validators)
  if (verdict !== 200) return { status: verdict, ranges: [] }
  const ranges =
    method === 'GET' && rangeApplies(headers, validators) ? parseRanges(headers.range, row.size) : undefined
  if (ranges === 'unsatisfiable') return { status: 416, ranges: [] }
  // A client would take the encoding for that of the multipart body.
  if (ranges && ranges.length > 1 && storedHeaders(row)['content-encoding']) return { status: 200, ranges: [] }
  return ranges ? { status: 206, ranges } : { status: 200, ranges: [] }
}

export interface Sending extends Naming {
  cacheControl?: string
  /** To be displayed in a frame of our own pages. */
  embed?: boolean
  /**
   * Called before anything of a GET's response is sent. What it throws is sent instead; the function it returns is
   * called with how the response ended.
   */
  begin?: (answer: ContentsAnswer) => Promise<((delivery: Delivery) => void) | undefined>
}

/** Responds to GET and HEAD with contents. */
export async function sendContents(
  contents: Contents,
  { cacheControl, embed = false, begin, ...naming }: Sending,
  { request, reply }: Raw,
): Promise<FastifyReply> {
  const { row } = contents
  const { status, ranges } = answerTo(request, row)
  const began = request.method === 'GET' ? await begin?.({ status, ranges }) : undefined
  reportDelivery({ request, reply }, contents.delivered, began)
  reply.headers(SAFETY)
  if (embed) reply.headers(FRAMED)
  const stored = storedHeaders(row)
  const cached = cacheControl ?? SAFETY['cache-control']
  reply.header('cache-control', /\bno-store\b/i.test(stored['cache-control'] ?? '') ? 'no-store' : cached)
  reply.header('etag', `"${row.etag}"`)
  reply.header('last-modified', new Date(row.last_modified).toUTCString())
  if (row.version_id !== null) reply.header('x-version-id', row.version_id)
  if (status === 412) throw new ServiceError('precondition_failed', 'The object does not match the conditions.')
  if (status === 304) return reply.code(304).send()

  reply.header('accept-ranges', 'bytes')
  reply.header('content-disposition', contentDispositionOf(row, naming))
  for (const name of ['content-encoding', 'content-language'] as const)
    if (stored[name] !== undefined) reply.header(name, asHeader(stored[name]))
  for (const [name, value] of Object.entries(JSON.parse(row.metadata) as { [name: string]: string }))
    reply.header(`x-meta-${name}`, asHeader(value))
  if (status === 416)
    throw new ServiceError('range_not_satisfiable', `The object has ${row.size} bytes.`, {
      headers: { 'content-range': `bytes */${row.size}` },
    })
  if (ranges.length > 1) return sendParts(contents, ranges, reply)

  reply.header('content-type', shownType(row))
  if (status === 200) for (const [name, value] of checksumHeaders(row)) reply.header(name, value)
  const [range] = ranges
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${row.size}`)
  reply.header('content-length', range ? range.end - range.start + 1 : row.size)
  if (request.method === 'HEAD') return reply.send()
  recycleSent(reply.raw)
  return reply.send(await contents.open(range))
}

/** Several ranges as multipart/byteranges (RFC 9110 section 14.6), read one after another. */
function sendParts({ row, open }: Contents, ranges: readonly ByteRange[], reply: FastifyReply): FastifyReply {
  const boundary = randomBytes(18).toString('hex')
  const heads = ranges.map(
    ({ start, end }) =>
      `\r\n--${boundary}\r\nContent-Type: ${shownType(row)}\r\nContent-Range: bytes ${start}-${end}/${row.size}\r\n\r\n`,
  )
  const tail = `\r\n--${boundary}--\r\n`
  const length =
    ranges.reduce((sum, { start, end }, i) => sum + Buffer.byteLength(heads[i] ?? '') + end - start + 1, 0) +
    tail.length
  async function* body() {
    for (const [i, range] of ranges.entries()) {
      yield Buffer.from(heads[i] ?? '')
      const part = await open(range)
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

/** Node writes header values as Latin-1; this keeps our UTF-8 bytes. */
const asHeader = (text: string): string => Buffer.from(text).toString('latin1')

export interface Naming {
  /** Always send as an attachment. */
  download: boolean
  filename?: string | undefined
  /** A link's setting: inline if the type is harmless, or as an attachment. */
  disposition?: 'inline' | 'attachment' | undefined
}

/**
 * An object's Content-Disposition: inline only if its type is harmless and no download was requested. The one that was
 * stored with it may name the file, and ask for an attachment.
 */
export function contentDispositionOf(row: ObjectRow, { download, filename, disposition }: Naming): string {
  const stored = parsedDisposition(storedHeaders(row)['content-disposition'])
  const name =
    filename ?? stored?.parameters.filename ?? row.key.split('/').findLast((segment) => segment !== '') ?? 'object'
  const inline =
    !download &&
    disposition !== 'attachment' &&
    stored?.type !== 'attachment' &&
    mediaTypesIn(shownType(row)).every((type) => INLINE.has(type))
  return contentDisposition(name, { type: inline ? 'inline' : 'attachment' })
}

/** Undefined if there is none, or what was stored is not one. */
function parsedDisposition(header: string | undefined): ContentDisposition | undefined {
  try {
    return header === undefined ? undefined : parse(header)
  } catch {
    return undefined
  }
}
