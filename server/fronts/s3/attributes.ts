import type { ObjectRow } from '../../storage/objects/store.ts'
import { checksumElements, checksumsOf } from './checksums.ts'
import { invalidArgument, S3Error } from './errors.ts'
import { answerXml, type Exchange, header } from './exchange.ts'
import { listLimit } from './lists.ts'
import { partsOf } from './parts.ts'
import { getSeen } from './unseen.ts'
import { versionHeader } from './version.ts'
import { element, result, type Xml } from './xml.ts'

const ATTRIBUTES = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize']

/** `GetObjectAttributes`: those that `x-amz-object-attributes` asks for. */
export async function getObjectAttributes(exchange: Exchange): Promise<void> {
  const asked = (header(exchange, 'x-amz-object-attributes') ?? '').split(',').map((one) => one.trim())
  const wrong = asked.find((one) => !ATTRIBUTES.includes(one))
  if (wrong !== undefined) throw invalidArgument('x-amz-object-attributes', wrong, 'Invalid attribute name specified.')
  const { row, versioning } = await getSeen(exchange)
  const checksums = checksumsOf(row)
  const contents: { [attribute: string]: Xml } = {
    ETag: element('ETag', row.etag),
    Checksum: checksums.length > 0 && element('Checksum', ...checksumElements(checksums)),
    ObjectParts: asked.includes('ObjectParts') ? await objectParts(exchange, row) : undefined,
    StorageClass: element('StorageClass', row.storage_class ?? 'STANDARD'),
    ObjectSize: element('ObjectSize', row.size),
  }
  await answerXml(
    exchange,
    result(
      'GetObjectAttributesResponse',
      ...ATTRIBUTES.filter((one) => asked.includes(one)).map((one) => contents[one] || undefined),
    ),
    { 'last-modified': new Date(row.last_modified).toUTCString(), ...versionHeader(versioning, row) },
  )
}

async function objectParts(exchange: Exchange, row: ObjectRow): Promise<Xml> {
  const parts = await partsOf(exchange, row)
  if (parts.length === 0) return undefined
  const most = Number(header(exchange, 'x-amz-max-parts') ?? listLimit(exchange, 'max-parts'))
  const marker = Number(header(exchange, 'x-amz-part-number-marker') ?? 0)
  if (!Number.isInteger(most) || !Number.isInteger(marker) || most < 0 || marker < 0)
    throw new S3Error('InvalidArgument', 'x-amz-max-parts and x-amz-part-number-marker must be numbers.')
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
