import { decide } from '../../../../../contract/permissions.ts'
import { assertOpens } from '../../../../blobs/encrypted.ts'
import { permits } from '../../../../iam/decide.ts'
import { findAccess, isListedByAcl } from '../../../../storage/buckets/documents/public-access.ts'
import { listUploadEntries } from '../../../../storage/uploads/list.ts'
import { assertOpen } from '../../../../storage/uploads/parts.ts'
import { receivedParts } from '../../../../storage/uploads/receive.ts'
import { answerXml } from '../../answers/answer.ts'
import { element, result, xmlTime } from '../../answers/xml.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import { customerKeyIn } from '../../requests/encryption.ts'
import { type Exchange, parameter } from '../../requests/exchange.ts'
import { isId } from '../../requests/version-id.ts'
import { findOwners } from '../documents/acl.ts'
import { abortHeaders } from '../documents/lifecycle-headers.ts'
import { listLimit, numberIn, readList } from '../lists.ts'
import { ownersOf } from '../owner.ts'
import { ownUploadOf } from './open-upload.ts'

/** `ListMultipartUploads`: by key, and of one key by when they began. Without a credential only where a policy says so. */
export async function listMultipartUploads(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  // Whoever a policy lets ask sees the uploads that they began themselves.
  const open = permits(ctx.actor, 'write', bucket, '') && !decide(ctx.actor.groups, 'write', bucket, '').allowed
  if (ctx.actor.type === 'public' && !open) throw new S3Error('AccessDenied', 'Access Denied')
  const { prefix, delimiter, limit, text, said } = readList(exchange, 'max-uploads')
  const keyMarker = parameter(exchange, 'key-marker') ?? ''
  // Without a key it says nothing.
  const idMarker = keyMarker === '' ? '' : (parameter(exchange, 'upload-id-marker') ?? '')
  if (idMarker !== '' && !isId(idMarker)) throw invalidArgument('upload-id-marker', idMarker, 'Invalid uploadId marker')
  const { entries, more } = await listUploadEntries(ctx, bucket, {
    prefix,
    delimiter,
    limit,
    open,
    all: await areShown(exchange),
    after: keyMarker === '' ? undefined : { key: keyMarker, id: idMarker || undefined },
  })
  const last = more ? entries.at(-1) : undefined
  const page = entries.flatMap(({ row }) => row ?? [])
  const ownerOf = await findOwners(exchange)
  const owners = await ownersOf(
    exchange,
    page.flatMap((row) => [row.created_by, ownerOf(row)]),
  )
  await answerXml(
    exchange,
    result(
      'ListMultipartUploadsResult',
      element('Bucket', bucket),
      element('KeyMarker', text(keyMarker)),
      element('UploadIdMarker', idMarker),
      element('NextKeyMarker', last && text(last.row?.key ?? last.prefix ?? '')),
      element('NextUploadIdMarker', last && (last.row?.id ?? '')),
      element('Prefix', text(prefix)),
      element('MaxUploads', limit),
      ...said,
      element('IsTruncated', more),
      ...page.map((row) =>
        element(
          'Upload',
          element('Key', text(row.key)),
          element('UploadId', row.id),
          owners(row.created_by, 'Initiator'),
          owners(ownerOf(row)),
          element('StorageClass', row.storage_class ?? 'STANDARD'),
          element('Initiated', xmlTime(row.created_at)),
          element('ChecksumAlgorithm', row.checksum_algorithm?.toUpperCase()),
          element('ChecksumType', row.checksum_type?.toUpperCase()),
        ),
      ),
      ...entries.flatMap((entry) =>
        entry.prefix === undefined ? [] : [element('CommonPrefixes', element('Prefix', text(entry.prefix)))],
      ),
    ),
  )
}

/** Whether the uploads of others are shown too: `READ` in the ACL of a bucket lists them. */
async function areShown({ ctx, bucket, authenticated }: Exchange): Promise<boolean> {
  if (!authenticated.publicAccess) return false
  return isListedByAcl((await findAccess(ctx.db, [bucket])).of(bucket))
}

export async function listParts(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key } = exchange
  const row = assertOpen(ctx, await ownUploadOf(exchange))
  const customerKey = customerKeyIn(exchange)
  if (customerKey) await assertOpens(ctx, row, customerKey)
  const limit = listLimit(exchange, 'max-parts')
  const marker = numberIn(exchange, 'part-number-marker') ?? 0
  const rest = (await receivedParts(ctx, row)).filter(({ part_number }) => part_number > marker)
  const page = rest.slice(0, limit)
  const algorithm = row.checksum_algorithm?.toUpperCase()
  const owner = (await findOwners(exchange))(row)
  const owners = await ownersOf(exchange, [row.created_by, owner])
  await answerXml(
    exchange,
    result(
      'ListPartsResult',
      element('Bucket', bucket),
      element('Key', key),
      element('UploadId', row.id),
      element('PartNumberMarker', marker),
      element('NextPartNumberMarker', page.at(-1)?.part_number ?? marker),
      element('MaxParts', limit),
      element('IsTruncated', rest.length > page.length),
      ...page.map(({ part_number, size, etag, checksum, received_at }) =>
        element(
          'Part',
          element('PartNumber', part_number),
          element('LastModified', xmlTime(received_at)),
          element('ETag', `"${etag}"`),
          element('Size', size),
          algorithm ? element(`Checksum${algorithm}`, checksum) : undefined,
        ),
      ),
      owners(row.created_by, 'Initiator'),
      owners(owner),
      element('StorageClass', row.storage_class ?? 'STANDARD'),
      element('ChecksumAlgorithm', algorithm),
      element('ChecksumType', row.checksum_type?.toUpperCase()),
    ),
    await abortHeaders(exchange, row),
  )
}
