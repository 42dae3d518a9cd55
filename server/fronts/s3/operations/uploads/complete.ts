import { checksumAlgorithms } from '../../../../../contract/shapes.ts'
import { assertOpens } from '../../../../blobs/encrypted.ts'
import { isChecksum } from '../../../../http/checksum.ts'
import { type PartChecksum, plannedChecksum } from '../../../../storage/uploads/checksum.ts'
import { bareEtag, type NamedPart, PartsConflict } from '../../../../storage/uploads/choose.ts'
import { completeUpload } from '../../../../storage/uploads/complete.ts'
import type { UploadRow } from '../../../../storage/uploads/store.ts'
import { answerXml } from '../../answers/answer.ts'
import { checksumElements } from '../../answers/checksums.ts'
import { writtenHeader } from '../../answers/version-headers.ts'
import { element, result } from '../../answers/xml.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import { checksumTypeIn, claimedTotal, namedChecksums, nameOf } from '../../requests/checksums.ts'
import { customerKeyIn, encryptionHeaders } from '../../requests/encryption.ts'
import { bodyOf, type Exchange, header } from '../../requests/exchange.ts'
import { MOST_PARTS } from '../../requests/part-number.ts'
import {
  childText,
  type DocumentShape,
  malformedXml,
  many,
  readDocument,
  type XmlNode,
} from '../../requests/read-xml.ts'
import { currentExpiration } from '../documents/lifecycle-headers.ts'
import { locationOf } from '../location.ts'
import { writeConditions } from '../objects/put-object.ts'
import { checksumMismatch, uploadOf } from './open-upload.ts'

/** S3's limits, in bytes. */
const LEAST_PART = 5 * 1024 * 1024
const MOST_COMPLETE_BYTES = 4 * 1024 * 1024
export const COMPLETION: DocumentShape = {
  root: 'CompleteMultipartUpload',
  most: MOST_COMPLETE_BYTES,
  elements: {
    Part: many(MOST_PARTS, {
      PartNumber: 'text',
      ETag: 'text',
      ...Object.fromEntries(checksumAlgorithms.map((algorithm) => [`Checksum${nameOf(algorithm)}`, 'text' as const])),
    }),
  },
}

/** The only checksum of a `<Part>`; undefined without one. Throws InvalidArgument. */
function partChecksum(part: XmlNode): PartChecksum | undefined {
  const given = checksumAlgorithms.flatMap((algorithm) => {
    const value = childText(part, `Checksum${nameOf(algorithm)}`)
    return value === undefined ? [] : [{ algorithm, value }]
  })
  const [first] = given
  if (given.every(({ algorithm, value }) => isChecksum(algorithm, value)) && given.length < 2) return first
  const told =
    given.length > 1 ? given.map(({ algorithm, value }) => `${nameOf(algorithm)}:${value};`).join('') : first?.value
  throw invalidArgument('Checksum', told ?? '', 'Invalid Base64 or multiple checksums present in request')
}

/** A part's number in a document. Throws MalformedXML or InvalidArgument. */
function numberIn(part: XmlNode): number {
  const text = childText(part, 'PartNumber')?.trim() ?? ''
  if (!/^-?\d{1,9}$/.test(text)) throw malformedXml()
  const number = Number(text)
  if (number < 1) throw invalidArgument('PartNumber', text, 'PartNumber must be >= 1')
  if (number <= MOST_PARTS) return number
  throw invalidArgument('PartNumber', text, `Part number must be an integer between 1 and ${MOST_PARTS}, inclusive`)
}

/** A part as the document names it, with its only checksum. */
type WrittenPart = { part_number: number; etag: string; checksum: PartChecksum | undefined }

/** The parts that a document names; throws MalformedXML, InvalidArgument or InvalidPartOrder. */
function namedParts(document: XmlNode): WrittenPart[] {
  const parts = document.children
    .filter(({ name }) => name === 'Part')
    .map((part): WrittenPart => {
      const [part_number, etag] = [numberIn(part), childText(part, 'ETag')]
      if (etag === undefined) throw malformedXml()
      return { part_number, etag, checksum: partChecksum(part) }
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

/**
 * The parts with what their checksums are to be. Throws InvalidRequest where the object's checksum is one of its parts' and
 * only some are told, and BadDigest for one by an algorithm by which that part brought none. AWS refuses where none are, too;
 * the public test suite does not.
 */
function withChecksums(row: UploadRow, parts: readonly WrittenPart[]): NamedPart[] {
  const { checksum_algorithm: wanted, checksum_type: type } = row
  const areTold = parts.some(({ checksum }) => checksum !== undefined)
  return parts.map(({ part_number, etag, checksum }) => {
    if (checksum === undefined && areTold && wanted !== null && type === 'composite')
      throw new S3Error(
        'InvalidRequest',
        `The upload was created using a ${wanted} checksum. The complete request must include the checksum for each part. It was missing for part ${part_number} in the request.`,
      )
    if (checksum && wanted !== null && checksum.algorithm !== wanted)
      throw new S3Error(
        'BadDigest',
        `The ${checksum.algorithm} you specified for part ${part_number} did not match what we received.`,
      )
    const isPlanned = checksum?.algorithm === plannedChecksum(row)?.algorithm
    return { part_number, etag, ...(isPlanned ? { checksum: checksum?.value } : { brought: checksum }) }
  })
}

/** What the object's checksum is to be. Throws InvalidRequest unless it is of the upload's algorithm and kind. */
function expectedTotal(exchange: Exchange, row: UploadRow): string | undefined {
  const type = checksumTypeIn(exchange)
  const claimed = claimedTotal(exchange)
  const planned = plannedChecksum(row)
  if (type !== undefined && type !== planned?.type)
    throw new S3Error(
      'InvalidRequest',
      `The upload was created using the ${planned?.type.toUpperCase()} checksum mode. The complete request must use the same checksum mode.`,
    )
  if (claimed && claimed.algorithm !== planned?.algorithm)
    throw checksumMismatch(planned?.algorithm ?? 'null', claimed.algorithm)
  return claimed?.value
}

export async function completeMultipartUpload(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key } = exchange
  const row = await uploadOf(exchange)
  const [checksum, size, conditions] = [
    expectedTotal(exchange, row),
    announcedSize(exchange),
    writeConditions(exchange),
  ]
  const customerKey = customerKeyIn(exchange)
  if (row.envelope !== null && row.blob_id !== null)
    await assertOpens(ctx, { blob_id: row.blob_id, encryption: row.encryption, envelope: row.envelope }, customerKey)
  const named = namedParts(await readDocument(exchange, COMPLETION, bodyOf(exchange)))
  const object = await completeUpload(ctx, bucket, {
    upload_id: row.id,
    parts: withChecksums(row, named),
    leastPart: LEAST_PART,
    size,
    checksum,
    conditions,
  }).catch((error: unknown) => {
    throw error instanceof PartsConflict ? invalidParts(error, row, named) : error
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
    {
      ...writtenHeader(object),
      ...encryptionHeaders(row.encryption, customerKey),
      'x-amz-expiration': await currentExpiration(exchange, object),
    },
  )
}

/** `x-amz-mp-object-size`: the bytes that the client says the object has. Throws InvalidRequest. */
function announcedSize(exchange: Exchange): number | undefined {
  const text = header(exchange, 'x-amz-mp-object-size')
  if (text === undefined || /^\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw new S3Error(
    'InvalidRequest',
    /^-\d+$/.test(text)
      ? `Value for x-amz-mp-object-size header is less than zero: '${text}'`
      : `Value for x-amz-mp-object-size header is invalid: '${text}'`,
  )
}

function invalidParts({ tooSmall, faults, first }: PartsConflict, { id }: UploadRow, named: readonly WrittenPart[]) {
  const part = first === undefined ? undefined : named[first]
  const told: Record<string, string> = part ? { PartNumber: String(part.part_number), ETag: bareEtag(part.etag) } : {}
  if (tooSmall)
    return new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size', {
      fields: { ...told, MinSizeAllowed: String(LEAST_PART) },
    })
  if (faults[0]?.path === 'body.size')
    return new S3Error(
      'InvalidRequest',
      "The provided 'x-amz-mp-object-size' header value does not match what was computed",
    )
  return new S3Error(
    'InvalidPart',
    "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
    { fields: { UploadId: id, ...told } },
  )
}
