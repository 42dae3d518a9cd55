import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ServiceError } from '../../../contract/errors.ts'
import { decide } from '../../../contract/permissions.ts'
import type { ObjectHeaders } from '../../../contract/shapes.ts'
import type { ByteRange } from '../../base/byte-range.ts'
import { noteRead } from '../../features/audit/reads.ts'
import { evaluateConditions, parseRanges, rangeApplies, readEntityTags } from '../../http/conditions.ts'
import { onDelivered, recycleSent } from '../../http/delivery.ts'
import { deleteMany } from '../../storage/objects/bulk.ts'
import { type Contents, read } from '../../storage/objects/read.ts'
import { deleteObject as removeObject } from '../../storage/objects/service.ts'
import type { ObjectRow } from '../../storage/objects/store.ts'
import { write } from '../../storage/objects/write.ts'
import { descriptionOf } from '../description.ts'
import { refuseAcl } from './acl.ts'
import { checksumHeaders, claimedChecksum, claimedMd5 } from './checksums.ts'
import { invalidArgument, S3Error } from './errors.ts'
import {
  type AnswerHeaders,
  announcedLength,
  answer,
  answerXml,
  bodyOf,
  type Exchange,
  header,
  headersWith,
  parameter,
  whenDurable,
} from './exchange.ts'
import { childText, malformedXml, readXml } from './read-xml.ts'
import type { Trailers } from './signature/chunks.ts'
import { verified } from './verified.ts'
import { element, result } from './xml.ts'

const MOST_BYTES = 5 * 1024 ** 3
const STORAGE_CLASSES = new Set([
  ...['STANDARD', 'REDUCED_REDUNDANCY', 'STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING', 'GLACIER'],
  ...['DEEP_ARCHIVE', 'OUTPOSTS', 'GLACIER_IR', 'SNOW', 'EXPRESS_ONEZONE'],
])

/** Throws for what a request asks of an object that no object here can have. */
export function refuseUnsupported(exchange: Exchange): void {
  refuseAcl(exchange)
  const unsupported = [
    ...['x-amz-server-side-encryption', 'x-amz-server-side-encryption-customer-algorithm'],
    ...['x-amz-object-lock-mode', 'x-amz-object-lock-legal-hold', 'x-amz-website-redirect-location'],
  ].find((name) => header(exchange, name) !== undefined)
  if (unsupported !== undefined)
    throw new S3Error(
      'NotImplemented',
      `A header you provided implies functionality that is not implemented: ${unsupported}.`,
    )
}

/** The class a new object is to be kept in: accepted and shown, without effect. */
export function storageClassOf(exchange: Exchange): string | undefined {
  const given = header(exchange, 'x-amz-storage-class')
  if (given === undefined || STORAGE_CLASSES.has(given)) return given === 'STANDARD' ? undefined : given
  throw new S3Error('InvalidStorageClass', 'The storage class you specified is not valid')
}

/** The headers that describe an object, without the framing of the body. */
export function describing(exchange: Exchange): { [name: string]: string | undefined } {
  const { 'content-encoding': encoding, ...headers } = exchange.request.headers as { [name: string]: string }
  const kept = encoding
    ?.split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && one.toLowerCase() !== 'aws-chunked')
    .join(', ')
  const hoisted = headersWith(exchange, 'x-amz-').map(([name, value]) => [
    `x-amz-${name}`,
    Buffer.from(value).toString('latin1'),
  ])
  return { ...headers, ...Object.fromEntries(hoisted), ...(kept ? { 'content-encoding': kept } : {}) }
}

/** Every object has one version, `null`. Throws NoSuchVersion for any other. */
export function assertOnlyVersion(versionId: string | undefined): void {
  if (versionId === undefined || versionId === 'null') return
  if (versionId === '') throw invalidArgument('versionId', '', 'Version id cannot be the empty string')
  throw new S3Error('NoSuchVersion', 'The specified version does not exist.', { fields: { VersionId: versionId } })
}

/** `PutObject`: the body becomes the object once all of it has been verified. */
export async function putObject(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key, request } = exchange
  refuseUnsupported(exchange)
  const announced = announcedLength(exchange)
  if ((announced ?? 0) > MOST_BYTES) throw tooLarge(announced ?? 0)
  const trailers: Trailers = new Map()
  const checksum = claimedChecksum(exchange, trailers)
  const conditions = {
    ifNoneMatch: readEntityTags(request.headers['if-none-match']),
    ifMatch: readEntityTags(request.headers['if-match']),
  }
  const upload = {
    key,
    source: () => bodyOf(exchange, trailers),
    announced,
    md5: claimedMd5(exchange),
    checksum,
    maxBytes: MOST_BYTES,
    storageClass: storageClassOf(exchange),
    ...descriptionOf(describing(exchange), key, { metadata: 'x-amz-meta-', tags: 'x-amz-tagging' }),
  }
  const { object } = await write(ctx, bucket, upload, conditions)
  const kept = { checksums: object.checksums ? JSON.stringify(object.checksums) : null }
  await answer(exchange, 200, { etag: `"${object.etag}"`, ...checksumHeaders(kept) })
}

const tooLarge = (size: number) =>
  new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', {
    fields: { ProposedSize: String(size), MaxSizeAllowed: String(MOST_BYTES) },
  })

/** Parameters of a GET that replace a header of its answer. */
const OVERRIDES: readonly string[] = [
  ...['content-type', 'content-language', 'expires', 'cache-control', 'content-disposition', 'content-encoding'],
]

/** `GetObject` and `HeadObject`, with conditions and one range. */
export async function getObject(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key, request, response } = exchange
  const { headers, method } = request
  assertOnlyVersion(parameter(exchange, 'versionId'))
  if (parameter(exchange, 'partNumber') !== undefined)
    throw new S3Error('NotImplemented', 'Reading single parts is not implemented.')
  const opens = method === 'GET' && headers['if-none-match'] === undefined && headers['if-modified-since'] === undefined
  const contents = await read(ctx, bucket, key, { opens }).catch((error: unknown) => {
    throw asUnseen(exchange, error)
  })
  const { row } = contents
  const validators = { etag: row.etag, last_modified: new Date(row.last_modified) }
  const verdict = evaluateConditions(headers, validators)
  const tags = { etag: `"${row.etag}"`, 'last-modified': validators.last_modified.toUTCString() }
  if (verdict === 304) return answer(exchange, 304, tags)
  if (verdict === 412)
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
      fields: { Condition: headers['if-match'] === undefined ? 'If-Unmodified-Since' : 'If-Match' },
    })
  const range = rangeApplies(headers, validators) ? rangeOf(headers.range, row.size) : undefined
  const length = range ? range.end - range.start + 1 : row.size
  const answered: AnswerHeaders = {
    ...tags,
    'accept-ranges': 'bytes',
    'content-type': row.content_type,
    ...described(row),
    ...overrides(exchange),
    'content-length': length,
    'x-content-type-options': 'nosniff',
    // A browser shows it as a page of its own, which can do nothing.
    'content-security-policy': 'sandbox',
    ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${row.size}` } : {}),
    ...(!range && header(exchange, 'x-amz-checksum-mode')?.toUpperCase() === 'ENABLED' ? checksumHeaders(row) : {}),
  }
  const status = range ? 206 : 200
  if (method === 'HEAD') return answer(exchange, status, answered)
  onDelivered({ request, response }, () => length, [
    contents.delivered,
    (delivery) => noteRead(ctx, { bucket, key, size: row.size, via: 's3' }, delivery),
  ])
  await sendBytes(exchange, { status, headers: answered, contents, range })
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
  await whenDurable(system, exchange, status, () => {
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value)
    response.writeHead(status)
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

/** What an object says of itself in headers. */
function described(row: ObjectRow): AnswerHeaders {
  const stored: ObjectHeaders = row.headers === null ? {} : JSON.parse(row.headers)
  const metadata = Object.entries(JSON.parse(row.metadata) as { [name: string]: string })
  const tags = row.tags === null ? 0 : Object.keys(JSON.parse(row.tags)).length
  return {
    ...Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, asHeader(value)])),
    ...Object.fromEntries(metadata.map(([name, value]) => [`x-amz-meta-${name}`, asHeader(value)])),
    'x-amz-tagging-count': tags === 0 ? undefined : tags,
    'x-amz-storage-class': row.storage_class ?? undefined,
  }
}

/** Node writes header values as Latin-1; this keeps our UTF-8 bytes. */
const asHeader = (text: string): string => Buffer.from(text).toString('latin1')

function overrides(exchange: Exchange): AnswerHeaders {
  return Object.fromEntries(
    OVERRIDES.flatMap((name) => {
      const value = parameter(exchange, `response-${name}`)
      if (value === undefined) return []
      if (/[\p{Cc}]/u.test(value))
        throw invalidArgument(`response-${name}`, value, 'Header value cannot contain control characters')
      return [[name, asHeader(value)]]
    }),
  )
}

/** Whether a key exists is told to those who may list it; to others its absence is a refusal. */
function asUnseen({ ctx, bucket, key }: Exchange, error: unknown): unknown {
  const isMissing = error instanceof ServiceError && error.missing === 'object'
  if (!isMissing || decide(ctx.actor.groups, 'list', bucket, key).allowed) return error
  return new S3Error('AccessDenied', 'Access Denied')
}

/** `DeleteObject`: succeeds too where there is nothing to delete. */
export async function deleteObject(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key, request } = exchange
  assertOnlyVersion(parameter(exchange, 'versionId'))
  const ifMatch = readEntityTags(request.headers['if-match'])
  await removeObject(ctx, bucket, key, { permanent: false, ifMatch }).catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.missing === 'object') || ifMatch !== undefined) throw error
  })
  await answer(exchange, 204, {})
}

const MOST_DELETES = 1000
const MOST_DELETE_BYTES = 2 * 1024 * 1024

/** `DeleteObjects`: up to 1,000 keys, with a result for each in the order of the request. */
export async function deleteObjects(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  const document = await readXml(verified(exchange), 'Delete', MOST_DELETE_BYTES)
  const keys = document.children
    .filter(({ name }) => name === 'Object')
    .map((object) => {
      const key = childText(object, 'Key')
      if (key === undefined || key === '') throw malformedXml()
      assertOnlyVersion(childText(object, 'VersionId'))
      return key
    })
  if (keys.length === 0 || keys.length > MOST_DELETES) throw malformedXml()
  const quiet = childText(document, 'Quiet')?.trim().toLowerCase() === 'true'
  const { errors } = await deleteMany(ctx, bucket, [...new Set(keys)])
  const failed = new Map(errors.filter(({ code }) => code !== 'not_found').map((error) => [error.key, error]))
  await answerXml(
    exchange,
    result(
      'DeleteResult',
      ...keys.map((key) => {
        const error = failed.get(key)
        if (!error) return quiet ? undefined : element('Deleted', element('Key', key))
        const code = error.code === 'forbidden' ? 'AccessDenied' : 'InternalError'
        return element('Error', element('Key', key), element('Code', code), element('Message', error.detail))
      }),
    ),
  )
}
