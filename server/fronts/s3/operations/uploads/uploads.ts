import type { ChecksumAlgorithm } from '../../../../../contract/shapes.ts'
import type { ByteRange } from '../../../../base/byte-range.ts'
import { anyTime } from '../../../../base/dates.ts'
import { assertCustomerKey } from '../../../../encryption/sealing.ts'
import { wholeSeconds } from '../../../../http/conditions.ts'
import { read } from '../../../../storage/objects/read.ts'
import { beginUpload } from '../../../../storage/uploads/begin.ts'
import { type PartChecksum, planChecksum, plannedChecksum } from '../../../../storage/uploads/checksum.ts'
import { assertOpen, storePart } from '../../../../storage/uploads/parts.ts'
import { abortUpload } from '../../../../storage/uploads/service.ts'
import { shareOf } from '../../../../storage/uploads/share.ts'
import type { PartRow, UploadRow } from '../../../../storage/uploads/store.ts'
import { answer, answerXml } from '../../answers/answer.ts'
import { element, result, xmlTime } from '../../answers/xml.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import { algorithmIn, checksumTypeIn, claimedChecksum, claimedMd5, nameOf } from '../../requests/checksums.ts'
import { customerKeyIn, encryptionHeaders, encryptionIn, sourceKeyIn } from '../../requests/encryption.ts'
import { announcedLength, bodyOf, type Exchange, header } from '../../requests/exchange.ts'
import { partNumberOf } from '../../requests/part-number.ts'
import type { Trailers } from '../../requests/signature/chunks.ts'
import { newObjectAcl } from '../documents/acl.ts'
import { abortHeaders } from '../documents/lifecycle-headers.ts'
import { hideSourceExistence } from '../existence.ts'
import { lockIn } from '../locks.ts'
import { assertSource, sourceOf, sourceVersionHeader } from '../objects/copy-object.ts'
import { describedBy, refuseUnsupported, storageClassOf } from '../objects/put-object.ts'
import { checksumMismatch, ownUploadOf, uploadOf } from './open-upload.ts'

/** The checksum that the object is to have: `x-amz-checksum-algorithm`, and of which kind. */
function wantedChecksum(exchange: Exchange) {
  const algorithm = algorithmIn(exchange, 'x-amz-checksum-algorithm')
  const type = checksumTypeIn(exchange)
  if (algorithm) return planChecksum(algorithm, type ?? (algorithm === 'crc64nvme' ? 'full_object' : 'composite'))
  if (type === undefined) return undefined
  throw new S3Error(
    'InvalidRequest',
    'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
  )
}

export async function createMultipartUpload(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key } = exchange
  refuseUnsupported(exchange)
  const checksum = wantedChecksum(exchange)
  const described = describedBy(exchange, key)
  const storageClass = storageClassOf(exchange)
  const acl = await newObjectAcl(exchange)
  const row = await beginUpload(ctx, bucket, {
    key,
    ...described,
    checksum,
    storageClass,
    acl,
    lock: lockIn(exchange),
    encryption: await encryptionIn(exchange),
  })
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
      ...encryptionHeaders(row.encryption, customerKeyIn(exchange)),
      ...(await abortHeaders(exchange, row)),
    },
  )
}

export async function uploadPart(exchange: Exchange): Promise<void> {
  const { ctx } = exchange
  const number = partNumberOf(exchange)
  const trailers: Trailers = new Map()
  const body = {
    announced: announcedLength(exchange),
    md5: claimedMd5(exchange),
    checksum: claimedChecksum(exchange, trailers),
    customerKey: customerKeyIn(exchange),
    source: () => bodyOf(exchange, trailers),
  }
  const row = assertOpen(ctx, await uploadOf(exchange))
  assertSameChecksum(row, body.checksum)
  const part = await storePart(ctx, row, number, body)
  const told = checksumOf(row, part)
  await answer(exchange, 200, {
    etag: `"${part.etag}"`,
    ...encryptionHeaders(row.encryption, body.customerKey),
    ...(told ? { [`x-amz-checksum-${told.algorithm}`]: told.value } : {}),
  })
}

/**
 * Throws InvalidRequest for a part with a checksum by another algorithm than the upload's, and for one without where they
 * make the object's.
 */
function assertSameChecksum(row: UploadRow, claimed: { algorithm: ChecksumAlgorithm } | undefined): void {
  const { checksum_algorithm: wanted, checksum_type: type } = row
  if (wanted === null || claimed?.algorithm === wanted) return
  if (claimed === undefined && type === 'full_object') return
  throw checksumMismatch(wanted, claimed?.algorithm)
}

/** The checksum that is told of a part: the one that it brought, or what its upload computes. */
function checksumOf(row: UploadRow, { checksum, brought }: Pick<PartRow, 'checksum' | 'brought'>) {
  if (brought !== null) return JSON.parse(brought) as PartChecksum
  const plan = plannedChecksum(row)
  return plan && checksum !== null ? { algorithm: plan.algorithm, value: checksum } : undefined
}

/** `UploadPartCopy`: an object, or a range of it, as a part. */
export async function uploadPartCopy(exchange: Exchange): Promise<void> {
  const { ctx } = exchange
  const number = partNumberOf(exchange)
  const row = assertOpen(ctx, await uploadOf(exchange))
  const source = await sourceOf(exchange)
  const customerKey = customerKeyIn(exchange)
  assertCustomerKey(row.encryption, customerKey)
  const wanted = { opens: true, version: source.version, customerKey: sourceKeyIn(exchange) }
  const contents = await read(source.reader, source.bucket, source.key, wanted).catch((error: unknown) => {
    throw hideSourceExistence(ctx, source, error)
  })
  assertSource(exchange, contents.row)
  const { size } = contents.row
  const range = copiedRange(exchange, size) ?? { start: 0, end: size - 1 }
  const part = await storePart(ctx, row, number, {
    announced: range.end - range.start + 1,
    share: shareOf(ctx, contents.row, range),
    customerKey,
    async *source() {
      const body = size === 0 ? new Uint8Array() : await contents.open(range)
      if (body instanceof Uint8Array) yield body
      else yield* body as AsyncIterable<Uint8Array>
    },
  })
  const told = checksumOf(row, part)
  await answerXml(
    exchange,
    result(
      'CopyPartResult',
      element('LastModified', xmlTime(ctx.now().toISOString())),
      element('ETag', `"${part.etag}"`),
      told && element(`Checksum${nameOf(told.algorithm)}`, told.value),
    ),
    { ...sourceVersionHeader(contents), ...encryptionHeaders(row.encryption, customerKey) },
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

/** `AbortMultipartUpload`: succeeds too, for a day, once the upload has been completed or aborted. */
export async function abortMultipartUpload(exchange: Exchange): Promise<void> {
  const row = await ownUploadOf(exchange)
  assertInitiated(exchange, row)
  if (row.completed_at === null) await abortUpload(exchange.ctx, exchange.bucket, row.id, { isRemembered: true })
  await answer(exchange, 204, {})
}

/** Throws PreconditionFailed unless the upload was begun when `x-amz-if-match-initiated-time` says, to the second. */
function assertInitiated(exchange: Exchange, { created_at }: UploadRow): void {
  const name = 'x-amz-if-match-initiated-time'
  const text = header(exchange, name)
  if (text === undefined) return
  const time = anyTime(text)
  if (!time) throw invalidArgument(name, text, 'The time at which the upload was initiated is not a date')
  if (wholeSeconds(time) !== wholeSeconds(new Date(created_at)))
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
      fields: { Condition: name },
    })
}
