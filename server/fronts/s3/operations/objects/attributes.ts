import { assertOpens } from '../../../../blobs/encrypted.ts'
import type { ObjectRow } from '../../../../storage/objects/store.ts'
import { answerXml } from '../../answers/answer.ts'
import { checksumElements } from '../../answers/checksums.ts'
import { versionHeader } from '../../answers/version-headers.ts'
import { element, result, type Xml } from '../../answers/xml.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import { checksumsOf } from '../../requests/checksums.ts'
import { customerKeyIn, encryptionHeaders } from '../../requests/encryption.ts'
import { type Exchange, header } from '../../requests/exchange.ts'
import { partsOf } from '../../requests/part-number.ts'
import { getVisible } from '../existence.ts'
import { numberOf } from '../lists.ts'

const ATTRIBUTES = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize']

/** `GetObjectAttributes`: those that `x-amz-object-attributes` asks for. */
export async function getObjectAttributes(exchange: Exchange): Promise<void> {
  const text = header(exchange, 'x-amz-object-attributes')?.trim() ?? ''
  if (text === '')
    throw new S3Error(
      'InvalidRequest',
      'The x-amz-object-attributes header specifying the attributes to be retrieved is either missing or empty',
    )
  const asked = text.split(',').map((one) => one.trim())
  const wrong = asked.find((one) => !ATTRIBUTES.includes(one))
  if (wrong !== undefined) throw invalidArgument('x-amz-object-attributes', wrong, 'Invalid attribute name specified.')
  const page = pageIn(exchange)
  const { row, envelope, versioning } = await getVisible(exchange)
  const customerKey = customerKeyIn(exchange)
  if (customerKey || row.encryption === 'SSE-C') await assertOpens(exchange.ctx, { ...row, envelope }, customerKey)
  const checksums = checksumsOf(row)
  const contents: { [attribute: string]: Xml } = {
    ETag: element('ETag', row.etag),
    Checksum: checksums.length > 0 && element('Checksum', ...checksumElements(checksums)),
    ObjectParts: asked.includes('ObjectParts') ? await objectParts(exchange, row, page) : undefined,
    StorageClass: element('StorageClass', row.storage_class ?? 'STANDARD'),
    ObjectSize: element('ObjectSize', row.size),
  }
  await answerXml(
    exchange,
    result(
      'GetObjectAttributesResponse',
      ...ATTRIBUTES.filter((one) => asked.includes(one)).map((one) => contents[one] || undefined),
    ),
    {
      'last-modified': new Date(row.last_modified).toUTCString(),
      ...versionHeader(versioning, row),
      ...encryptionHeaders(row.encryption, customerKey),
    },
  )
}

/** Parts that are told of at most. */
const MOST_TOLD = 1000

/** Which parts are told of. Throws InvalidArgument. */
const pageIn = (exchange: Exchange) => ({
  most: Math.min(numberOf('x-amz-max-parts', header(exchange, 'x-amz-max-parts')) ?? MOST_TOLD, MOST_TOLD),
  marker: numberOf('x-amz-part-number-marker', header(exchange, 'x-amz-part-number-marker')) ?? 0,
})

async function objectParts(
  exchange: Exchange,
  row: ObjectRow,
  { most, marker }: ReturnType<typeof pageIn>,
): Promise<Xml> {
  const parts = await partsOf(exchange, row)
  if (parts.length === 0) return undefined
  const rest = parts.filter(({ part_number }) => part_number > marker)
  const page = rest.slice(0, most)
  const [name] = checksumsOf(row).map((one) => one.name)
  return element(
    'ObjectParts',
    element('PartsCount', parts.length),
    element('PartNumberMarker', marker),
    element('NextPartNumberMarker', page.at(-1)?.part_number ?? marker),
    element('MaxParts', most),
    element('IsTruncated', rest.length > page.length),
    ...page.map(({ part_number, size, checksum }) =>
      element(
        'Part',
        element('PartNumber', part_number),
        element('Size', size),
        name ? element(`Checksum${name}`, checksum) : undefined,
      ),
    ),
  )
}
