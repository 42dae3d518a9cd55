import { afterPrefix } from '../../../contract/permissions.ts'
import { findAccess, isListedByAcl } from '../../storage/buckets/public-access.ts'
import { listOpenUploads } from '../../storage/uploads/list.ts'
import { assertOpen } from '../../storage/uploads/parts.ts'
import { receivedParts } from '../../storage/uploads/received.ts'
import { findOwners } from './acl.ts'
import { invalidArgument } from './errors.ts'
import { answerXml, type Exchange, parameter } from './exchange.ts'
import { abortHeaders } from './lifecycle.ts'
import { listLimit, readList } from './lists.ts'
import { ownUploadOf } from './multipart.ts'
import { ownersOf } from './owner.ts'
import { element, result, xmlTime } from './xml.ts'

/** `ListMultipartUploads`: by key, and of one key by when they began. */
export async function listMultipartUploads(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  const { prefix, delimiter, text, said } = readList(exchange)
  const limit = listLimit(exchange, 'max-uploads')
  const keyMarker = parameter(exchange, 'key-marker') ?? ''
  const idMarker = parameter(exchange, 'upload-id-marker') ?? ''
  const range = { from: prefix, to: afterPrefix(prefix) }
  // With a key alone, all of that key's uploads have been seen: no id comes after this one.
  const after = keyMarker === '' ? undefined : { key: keyMarker, id: idMarker || '~' }
  const found =
    limit === 0
      ? []
      : await listOpenUploads(ctx, bucket, range, { after, limit: limit + 1, all: await areShown(exchange) })
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  const folderOf = (key: string) => {
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    return at < 0 ? undefined : key.slice(0, at + delimiter.length)
  }
  const ownerOf = await findOwners(exchange)
  const owners = await ownersOf(
    exchange,
    page.flatMap((row) => [row.created_by, ownerOf(row)]),
  )
  const folders = new Set(page.flatMap(({ key }) => folderOf(key) ?? []))
  await answerXml(
    exchange,
    result(
      'ListMultipartUploadsResult',
      element('Bucket', bucket),
      element('KeyMarker', text(keyMarker)),
      element('UploadIdMarker', idMarker),
      element('NextKeyMarker', last && text(last.key)),
      element('NextUploadIdMarker', last?.id),
      element('Prefix', text(prefix)),
      element('MaxUploads', limit),
      ...said,
      element('IsTruncated', last !== undefined),
      ...page
        .filter(({ key }) => folderOf(key) === undefined)
        .map((row) =>
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
      ...[...folders].map((folder) => element('CommonPrefixes', element('Prefix', text(folder)))),
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
  const limit = listLimit(exchange, 'max-parts')
  const marker = Number(parameter(exchange, 'part-number-marker') ?? '0')
  if (!Number.isInteger(marker) || marker < 0)
    throw invalidArgument('part-number-marker', String(marker), 'Argument part-number-marker must be an integer.')
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
