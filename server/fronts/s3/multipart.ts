import { decide } from '../../../contract/permissions.ts'
import { checksumAlgorithms } from '../../../contract/shapes.ts'
import type { ByteRange } from '../../base/byte-range.ts'
import { read } from '../../storage/objects/read.ts'
import { beginUpload } from '../../storage/uploads/begin.ts'
import { planChecksum } from '../../storage/uploads/checksum.ts'
import { type NamedPart, PartsConflict } from '../../storage/uploads/choose.ts'
import { completeUpload } from '../../storage/uploads/complete.ts'
import { assertOpen, storePart } from '../../storage/uploads/parts.ts'
import { abortUpload, openUpload, uploadMissing } from '../../storage/uploads/service.ts'
import { shareOf } from '../../storage/uploads/share.ts'
import type { UploadRow } from '../../storage/uploads/store.ts'
import { newObjectAcl } from './acl.ts'
import { checksumElements, claimedChecksum, claimedMd5, namedChecksums, otherChecksums } from './checksums.ts'
import { assertSource, sourceOf, sourceVersionHeader } from './copy.ts'
import { invalidArgument, S3Error } from './errors.ts'
import { announcedLength, answer, answerXml, bodyOf, type Exchange, header, parameter } from './exchange.ts'
import { abortHeaders, currentExpiration } from './lifecycle.ts'
import { locationOf } from './location.ts'
import { lockIn } from './lock.ts'
import { describedBy, refuseUnsupported, storageClassOf, writeConditions } from './objects.ts'
import { MOST_PARTS, partNumberOf } from './parts.ts'
import { childText, type DocumentShape, malformedXml, many, readDocument, type XmlNode } from './read-xml.ts'
import type { Trailers } from './signature/chunks.ts'
import { asSourceUnseen } from './unseen.ts'
import { writtenHeader } from './version.ts'
import { element, result, xmlTime } from './xml.ts'

/** S3's limits, in bytes. */
const LEAST_PART = 5 * 1024 * 1024
const MOST_COMPLETE_BYTES = 4 * 1024 * 1024
const COMPLETION: DocumentShape = {
  root: 'CompleteMultipartUpload',
  most: MOST_COMPLETE_BYTES,
  elements: {
    Part: many(MOST_PARTS, {
      PartNumber: 'text',
      ETag: 'text',
      // Of algorithms, too, of which nothing is checked here.
      ...Object.fromEntries(
        [...checksumAlgorithms, ...otherChecksums].map((algorithm) => [
          `Checksum${algorithm.toUpperCase()}`,
          'text' as const,
        ]),
      ),
    }),
  },
}

/** The checksum that the object is to have: `x-amz-checksum-algorithm`, and of which kind. */
function plannedChecksum(exchange: Exchange) {
  const asked = header(exchange, 'x-amz-checksum-algorithm')?.toLowerCase()
  const type = header(exchange, 'x-amz-checksum-type')?.toLowerCase()
  if (asked === undefined) {
    if (type === undefined) return undefined
    throw new S3Error(
      'InvalidRequest',
      'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
    )
  }
  const algorithm = checksumAlgorithms.find((one) => one === asked)
  if (!algorithm)
    throw new S3Error('InvalidRequest', `Checksum algorithm provided is unsupported: ${asked.toUpperCase()}.`)
  if (type !== undefined && type !== 'composite' && type !== 'full_object')
    throw new S3Error('InvalidRequest', 'Value for x-amz-checksum-type header is invalid.')
  // S3's default, where both are possible.
  return planChecksum(algorithm, type ?? (algorithm === 'crc64nvme' ? 'full_object' : 'composite'))
}

export async function createMultipartUpload(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key } = exchange
  refuseUnsupported(exchange)
  const checksum = plannedChecksum(exchange)
  const described = describedBy(exchange, key)
  const storageClass = storageClassOf(exchange)
  const acl = await newObjectAcl(exchange)
  const row = await beginUpload(ctx, bucket, { key, ...described, checksum, storageClass, acl, lock: lockIn(exchange) })
  await answerXml(
    exchange,
    result(
      'InitiateMultipartUploadResult',
      element('Bucket', bucket),
      element('Key', key),
      element('UploadId', row.id),
    ),
    {
      'x-amz-checksum-algorithm': checksum?.algorithm.toUpperCase(),
      'x-amz-checksum-type': checksum?.type.toUpperCase(),
      ...(await abortHeaders(exchange, row)),
    },
  )
}

/** The upload that a request names; one of another key does not exist. */
async function uploadOf(exchange: Exchange): Promise<UploadRow> {
  const { ctx, bucket, key } = exchange
  const row = await openUpload(ctx, bucket, parameter(exchange, 'uploadId') ?? '')
  if (row.key !== key || row.kind !== 'free') throw uploadMissing()
  return row
}

/** The same for what only those may do who began it, or manage the bucket. */
export async function ownUploadOf(exchange: Exchange): Promise<UploadRow> {
  const row = await uploadOf(exchange)
  const { user_id, groups } = exchange.ctx.actor
  const isOwn = user_id !== null && row.created_by === user_id
  if (!isOwn && !decide(groups, 'manage', exchange.bucket, row.key).allowed) throw uploadMissing()
  return row
}

export async function uploadPart(exchange: Exchange): Promise<void> {
  const { ctx } = exchange
  const number = partNumberOf(exchange)
  const trailers: Trailers = new Map()
  const body = {
    announced: announcedLength(exchange),
    md5: claimedMd5(exchange),
    checksum: claimedChecksum(exchange, trailers),
    source: () => bodyOf(exchange, trailers),
  }
  const row = assertOpen(ctx, await uploadOf(exchange))
  const { etag, checksum } = await storePart(ctx, row, number, body)
  const algorithm = row.checksum_algorithm
  await answer(exchange, 200, {
    etag: `"${etag}"`,
    ...(algorithm && checksum ? { [`x-amz-checksum-${algorithm}`]: checksum } : {}),
  })
}

/** `UploadPartCopy`: an object, or a range of it, as a part. */
export async function uploadPartCopy(exchange: Exchange): Promise<void> {
  const { ctx } = exchange
  const number = partNumberOf(exchange)
  const row = assertOpen(ctx, await uploadOf(exchange))
  const source = await sourceOf(exchange)
  const contents = await read(ctx, source.bucket, source.key, { opens: true, version: source.version }).catch(
    (error: unknown) => {
      throw asSourceUnseen(ctx, source, error)
    },
  )
  assertSource(exchange, contents.row)
  const { size } = contents.row
  const range = copiedRange(exchange, size) ?? { start: 0, end: size - 1 }
  const { etag, checksum } = await storePart(ctx, row, number, {
    announced: range.end - range.start + 1,
    share: shareOf(ctx, contents.row, range),
    async *source() {
      const body = size === 0 ? new Uint8Array() : await contents.open(range)
      if (body instanceof Uint8Array) yield body
      else yield* body as AsyncIterable<Uint8Array>
    },
  })
  await answerXml(
    exchange,
    result(
      'CopyPartResult',
      element('LastModified', xmlTime(ctx.now().toISOString())),
      element('ETag', `"${etag}"`),
      row.checksum_algorithm && checksum
        ? element(`Checksum${row.checksum_algorithm.toUpperCase()}`, checksum)
        : undefined,
    ),
    sourceVersionHeader(contents),
  )
}

/** `x-amz-copy-source-range`: first and last byte, inside the source; undefined for all of it. */
function copiedRange(exchange: Exchange, size: number): ByteRange | undefined {
  const text = header(exchange, 'x-amz-copy-source-range')
  if (text === undefined) return undefined
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text) ?? []
  const range = { start: Number(first), end: Number(last) }
  if (first === undefined || range.end < range.start)
    throw invalidArgument(
      'x-amz-copy-source-range',
      text,
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
    )
  if (range.end < size) return range
  throw new S3Error('InvalidRange', `Range specified is not valid for source object of size: ${size}`)
}

/** The parts that a document names; throws MalformedXML or InvalidPartOrder. */
function namedParts(document: XmlNode): NamedPart[] {
  const parts = document.children
    .filter(({ name }) => name === 'Part')
    .map((part): NamedPart => {
      const [number, etag] = [childText(part, 'PartNumber'), childText(part, 'ETag')]
      if (!/^\d{1,6}$/.test(number ?? '') || etag === undefined) throw malformedXml()
      const checksum = checksumAlgorithms
        .map((algorithm) => childText(part, `Checksum${algorithm.toUpperCase()}`))
        .find((value) => value !== undefined)
      return { part_number: Number(number), etag, checksum }
    })
  if (parts.length === 0 || parts.length > MOST_PARTS) throw malformedXml()
  // Of a part that was sent again and is named twice, the later one counts.
  const latest = parts.filter(({ part_number }, i) => part_number !== parts[i + 1]?.part_number)
  if (latest.some(({ part_number }, i) => part_number <= (latest[i - 1]?.part_number ?? 0)))
    throw new S3Error(
      'InvalidPartOrder',
      'The list of parts was not in ascending order. Parts must be ordered by part number.',
    )
  return latest
}

export async function completeMultipartUpload(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key } = exchange
  const { id: upload_id, checksum_algorithm: algorithm } = await uploadOf(exchange)
  const parts = namedParts(await readDocument(exchange, COMPLETION, bodyOf(exchange)))
  const object = await completeUpload(ctx, bucket, {
    upload_id,
    parts,
    leastPart: LEAST_PART,
    size: announcedSize(exchange),
    checksum: algorithm === null ? undefined : header(exchange, `x-amz-checksum-${algorithm}`),
    conditions: writeConditions(exchange),
  }).catch((error: unknown) => {
    throw error instanceof PartsConflict ? invalidParts(error) : error
  })
  await answerXml(
    exchange,
    result(
      'CompleteMultipartUploadResult',
      element('Location', locationOf(exchange)),
      element('Bucket', bucket),
      element('Key', key),
      element('ETag', `"${object.etag}"`),
      ...checksumElements(namedChecksums(object.checksums)),
    ),
    { ...writtenHeader(object), 'x-amz-expiration': await currentExpiration(exchange, object) },
  )
}

/** `x-amz-mp-object-size`: the bytes that the client says the object has. */
function announcedSize(exchange: Exchange): number | undefined {
  const text = header(exchange, 'x-amz-mp-object-size')
  if (text === undefined || /^\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw invalidArgument('x-amz-mp-object-size', text, 'The x-amz-mp-object-size header must be a number of bytes.')
}

function invalidParts({ tooSmall, faults }: PartsConflict): S3Error {
  if (tooSmall) return new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')
  if (faults[0]?.path === 'body.size')
    return new S3Error(
      'InvalidRequest',
      "The provided 'x-amz-mp-object-size' header value does not match what was computed",
    )
  return new S3Error(
    'InvalidPart',
    "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  )
}

export async function abortMultipartUpload(exchange: Exchange): Promise<void> {
  const { id } = await ownUploadOf(exchange)
  await abortUpload(exchange.ctx, exchange.bucket, id)
  await answer(exchange, 204, {})
}
