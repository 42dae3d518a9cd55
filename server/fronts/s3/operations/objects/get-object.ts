import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ObjectHeaders } from '../../../../../contract/shapes.ts'
import type { ByteRange } from '../../../../base/byte-range.ts'
import { noteRead } from '../../../../features/audit/reads.ts'
import { evaluateConditions, parseRanges, rangeApplies } from '../../../../http/conditions.ts'
import { onDelivered, recycleSent } from '../../../../http/delivery.ts'
import { type Contents, read } from '../../../../storage/objects/read.ts'
import type { ObjectRow } from '../../../../storage/objects/store.ts'
import { replicationStatus } from '../../../../storage/replication/status.ts'
import { type AnswerHeaders, answer, sendOnceDurable, writeHead } from '../../answers/answer.ts'
import { checksumHeaders } from '../../answers/checksums.ts'
import { versionHeader } from '../../answers/version-headers.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import { checksumsOf } from '../../requests/checksums.ts'
import { encodeWords } from '../../requests/encoded-words.ts'
import { customerKeyIn, encryptionHeaders, refuseEncryptionOfRead } from '../../requests/encryption.ts'
import { type Exchange, header, parameter } from '../../requests/exchange.ts'
import { partNumberOf, partsOf } from '../../requests/part-number.ts'
import { versionIn } from '../../requests/version-id.ts'
import { expirationIn } from '../documents/lifecycle-headers.ts'
import { hideExistence } from '../existence.ts'
import { lockHeaders } from '../locks.ts'

/** Parameters of a GET that replace a header of its answer. */
const OVERRIDES: readonly string[] = [
  'content-type',
  'content-language',
  'expires',
  'cache-control',
  'content-disposition',
  'content-encoding',
]

/** How long caches may keep what anyone may read, unless the object says: what stops being public is kept no longer. */
const PUBLIC_CACHE = 'public, max-age=60'

/** What a 304 has: what a cache has of the object is used for as long as a new answer would be (RFC 9110 section 15.4.5). */
const UNCHANGED = ['etag', 'last-modified', 'x-amz-version-id', 'cache-control', 'expires']

/** Metadata as it is stored where there is none. */
const NO_METADATA = '{}'

type Headers = { [name: string]: string | number | undefined }

/** A browser shows it as a page of its own, which can do nothing. */
const CONTAINED = { 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' }

/** How an object is sent as a page of a website. */
export interface Page {
  /** Of an error that it describes: then it has neither conditions nor ranges. */
  status?: number
  /** Answers otherwise, and returns whether it did, before anything of the object is sent. */
  instead(row: ObjectRow): Promise<boolean>
}

/** `GetObject` and `HeadObject`, with conditions and one range. */
export const getObject = (exchange: Exchange): Promise<void> => sendObject(exchange)

/** The same, or an object as a page of a website, which is an origin of its own. */
export async function sendObject(exchange: Exchange, page?: Page): Promise<void> {
  const { ctx, bucket, key, request, response } = exchange
  const { headers, method } = request
  const isAnonymous = ctx.actor.type === 'public'
  if (isAnonymous) refuseOverrides(exchange)
  const number = askedNumber(exchange)
  refuseEncryptionOfRead(exchange)
  const customerKey = customerKeyIn(exchange)
  const opens = method === 'GET' && headers['if-none-match'] === undefined && headers['if-modified-since'] === undefined
  const options = { opens, version: versionIn(exchange), customerKey, checksKey: true }
  const contents = await read(ctx, bucket, key, options).catch((error: unknown) => {
    throw hideExistence(ctx, { bucket, key }, error)
  })
  const { row } = contents
  await contents.checkKey().catch(async (error: unknown) => {
    // A part that is not there is told first, as S3 does.
    if (number !== undefined) await partOf(exchange, row, number)
    throw error
  })
  if (await page?.instead(row)) return
  const validators = { etag: row.etag, last_modified: new Date(row.last_modified) }
  const verdict = page?.status === undefined ? evaluateConditions(headers, validators) : 200
  const answered: Headers = {
    etag: `"${row.etag}"`,
    'last-modified': validators.last_modified.toUTCString(),
    ...versionHeader(contents.versioning, row),
    'content-type': row.content_type,
    'cache-control': isAnonymous ? PUBLIC_CACHE : undefined,
  }
  describe(answered, row)
  override(answered, exchange)
  if (verdict === 304) return answer(exchange, 304, Object.fromEntries(UNCHANGED.map((name) => [name, answered[name]])))
  if (verdict === 412)
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
      fields: { Condition: headers['if-match'] === undefined ? 'If-Unmodified-Since' : 'If-Match' },
    })
  const part = number === undefined ? undefined : await partOf(exchange, row, number)
  const isWhole = page?.status !== undefined || !rangeApplies(headers, validators)
  const range = part ? part.range : isWhole ? undefined : rangeOf(headers.range, row.size)
  const length = range ? range.end - range.start + 1 : (part?.size ?? row.size)
  if (row.encryption !== null) Object.assign(answered, encryptionHeaders(row.encryption, customerKey))
  answered['accept-ranges'] = 'bytes'
  answered['content-length'] = length
  answered['x-amz-expiration'] = expirationIn(contents.lifecycle, row)
  if (contents.replication !== null)
    answered['x-amz-replication-status'] = await replicationStatus(ctx, row, contents.replication)
  if (!page) Object.assign(answered, CONTAINED)
  if (range) answered['content-range'] = `bytes ${range.start}-${range.end}/${row.size}`
  if (part?.count) answered['x-amz-mp-parts-count'] = part.count
  if (header(exchange, 'x-amz-checksum-mode')?.toUpperCase() === 'ENABLED')
    Object.assign(answered, checksumsFor(row, range, part))
  // A part without bytes has no range that could be told.
  const status = page?.status ?? (range ? 206 : 200)
  if (method === 'HEAD') return answer(exchange, status, answered)
  onDelivered({ request, response }, () => length, [
    contents.delivered,
    (delivery) => noteRead(ctx, { bucket, key, size: row.size, via: 's3' }, delivery),
  ])
  if (length === 0) return answer(exchange, status, answered)
  await sendBytes(exchange, { status, headers: answered, contents, range })
}

interface AskedPart {
  range: ByteRange | undefined
  size: number
  /** How many parts there are; 0 if the object came as a whole. */
  count: number
  checksum: string | null
}

/** The part that a request asks for; undefined without one. Throws InvalidArgument, or InvalidRequest beside a range. */
function askedNumber(exchange: Exchange): number | undefined {
  if (parameter(exchange, 'partNumber') === undefined) return undefined
  const number = partNumberOf(exchange)
  if (exchange.request.headers.range === undefined) return number
  throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter')
}

const rangeFrom = (start: number, size: number): ByteRange | undefined =>
  size === 0 ? undefined : { start, end: start + size - 1 }

/** A part: its bytes, and how many parts there are. Throws InvalidPart. */
async function partOf(exchange: Exchange, row: ObjectRow, number: number): Promise<AskedPart> {
  const parts = await partsOf(exchange, row)
  // An object that came as a whole is its own first part.
  if (parts.length === 0 && number === 1)
    return { range: rangeFrom(0, row.size), size: row.size, count: 0, checksum: null }
  let start = 0
  for (const { part_number, size, checksum } of parts) {
    if (part_number === number) return { range: rangeFrom(start, size), size, count: parts.length, checksum }
    start += size
  }
  throw new S3Error('InvalidPart', 'The requested partnumber is not satisfiable', {
    fields: { PartNumberRequested: String(number), ActualPartCount: String(Math.max(1, parts.length)) },
  })
}

async function sendBytes(
  exchange: Exchange,
  {
    status,
    headers,
    contents,
    range,
  }: { status: number; headers: AnswerHeaders; contents: Contents; range: ByteRange | undefined },
): Promise<void> {
  const { system, response } = exchange
  const body = await contents.open(range)
  const sending = Promise.withResolvers<void>()
  await sendOnceDurable(system, exchange, status, () => {
    writeHead(exchange, status, headers)
    if (!(body instanceof Readable)) {
      response.end(body)
      return sending.resolve()
    }
    recycleSent(response)
    pipeline(body, response).then(sending.resolve, (error: unknown) => {
      // A client that leaves before the end is no fault of ours; the log line says so.
      if ((error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE') sending.resolve()
      else sending.reject(error)
    })
  })
  await sending.promise
}

/** The checksums of what is sent: of all of an object, or of one of its parts; nothing is known of other ranges. */
function checksumsFor(row: ObjectRow, range: ByteRange | undefined, part: AskedPart | undefined): AnswerHeaders {
  const checksums = checksumsOf(row)
  if (!range || part?.count === 0) return checksumHeaders(checksums)
  const [first] = checksums
  return first && part?.checksum ? { [first.header]: part.checksum, 'x-amz-checksum-type': first.type } : {}
}

/** One range; several are answered with the whole object, as S3 does. */
function rangeOf(header: string | undefined, size: number): ByteRange | undefined {
  if (header?.includes(',')) return undefined
  const ranges = parseRanges(header, size)
  if (ranges !== 'unsatisfiable') return ranges?.[0]
  throw new S3Error('InvalidRange', 'The requested range is not satisfiable', {
    fields: { RangeRequested: header ?? '', ActualObjectSize: String(size) },
    headers: { 'content-range': `bytes */${size}` },
  })
}

/** Adds what an object says of itself. Most have nothing of it. */
function describe(answered: Headers, row: ObjectRow): void {
  if (row.headers !== null)
    for (const [name, value] of Object.entries(JSON.parse(row.headers) as ObjectHeaders))
      answered[name] = asHeader(value)
  if (row.metadata !== NO_METADATA)
    for (const [name, value] of Object.entries(JSON.parse(row.metadata) as { [name: string]: string }))
      answered[`x-amz-meta-${name}`] = encodeWords(value)
  const tags = row.tags === null ? 0 : Object.keys(JSON.parse(row.tags)).length
  if (tags > 0) answered['x-amz-tagging-count'] = tags
  if (row.storage_class !== null) answered['x-amz-storage-class'] = row.storage_class
  if (row.lock_mode !== null || row.legal_hold !== null) Object.assign(answered, lockHeaders(row))
}

/** Node writes header values as Latin-1; this keeps our UTF-8 bytes. */
const asHeader = (text: string): string => Buffer.from(text).toString('latin1')

/** Only who signs a request may say how its answer is to be shown. Throws InvalidRequest. */
function refuseOverrides(exchange: Exchange): void {
  if (exchange.query.some(([name]) => name.startsWith('response-')))
    throw new S3Error('InvalidRequest', 'Request specific response headers cannot be used for anonymous GET requests.')
}

/** Replaces what the query says. Throws InvalidArgument. */
function override(answered: Headers, exchange: Exchange): void {
  if (exchange.query.length === 0) return
  for (const name of OVERRIDES) {
    const value = parameter(exchange, `response-${name}`)
    if (value === undefined) continue
    if (/[\p{Cc}]/u.test(value))
      throw invalidArgument(`response-${name}`, value, 'Header value cannot contain control characters')
    answered[name] = asHeader(value)
  }
}
