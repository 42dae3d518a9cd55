import { type Checksum, checksumAlgorithms } from '../../../../contract/shapes.ts'
import { decodeCursor, encodeCursor } from '../../../base/cursor.ts'
import { type ListedEntry, listEntries } from '../../../storage/objects/lists/entries.ts'
import type { ObjectRow } from '../../../storage/objects/store.ts'
import { type ListedVersion, listVersions, nameOfPlace, positionAfterVersion } from '../../../storage/versions/list.ts'
import { answerXml } from '../answers/answer.ts'
import { type Element, element, escapeXml, leaf, longResult, xmlTime } from '../answers/xml.ts'
import { invalidArgument } from '../errors.ts'
import { nameOf } from '../requests/checksums.ts'
import { type Exchange, parameter } from '../requests/exchange.ts'
import { isVersionName } from '../requests/version-id.ts'
import { findOwners } from './documents/acl.ts'
import { ownersOf } from './owner.ts'

const MOST_KEYS = 1000

/** What a whole number may be in S3. */
const MOST_NUMBER = 2 ** 31 - 1

/** A parameter that is a whole number; undefined without one, or with an empty one. Throws InvalidArgument. */
export const numberIn = (exchange: Exchange, name: string, limits: { least?: number; most?: number } = {}) =>
  numberOf(name, parameter(exchange, name), limits)

/** The same of a text that says it under this name. */
export function numberOf(
  name: string,
  text: string | undefined,
  { least = 0, most = MOST_NUMBER }: { least?: number; most?: number } = {},
): number | undefined {
  if (text === undefined || text === '') return undefined
  const number = Number(text)
  if (!/^-?\d{1,10}$/.test(text) || Math.abs(number) > MOST_NUMBER)
    throw invalidArgument(name, text, `Provided ${name} not an integer or within integer range`)
  if (number < least || number > most)
    throw invalidArgument(name, text, `Argument ${name} must be an integer between ${least} and ${most}`)
  return number
}

/** A parameter for how many items a page may have; the most if it asks for more. Throws InvalidArgument. */
export const listLimit = (exchange: Exchange, name: string): number =>
  Math.min(numberIn(exchange, name) ?? MOST_KEYS, MOST_KEYS)

/**
 * What all lists share: what is asked for, how texts are written, and the elements that repeat it (`said`). `limited` is
 * the parameter for how many items a page may have.
 */
export function readList(exchange: Exchange, limited = 'max-keys') {
  const encoding = parameter(exchange, 'encoding-type')
  if (encoding !== undefined && encoding !== 'url')
    throw invalidArgument('encoding-type', encoding, 'Invalid Encoding Method specified in Request')
  const prefix = parameter(exchange, 'prefix') ?? ''
  const delimiter = parameter(exchange, 'delimiter') ?? ''
  const limit = listLimit(exchange, limited)
  const text = (value: string) => (encoding === 'url' ? urlEncoded(value) : value)
  const said = [element('Delimiter', delimiter === '' ? undefined : text(delimiter)), element('EncodingType', encoding)]
  return { prefix, delimiter, limit, text, said }
}

/** As `encoding-type=url` has it: everything but letters, digits and `-._~/` in UTF-8, percent-encoded. */
const urlEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]|%2F/g, (one) =>
    one === '%2F' ? '/' : `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const nameIn = (entry: ListedEntry): string => entry.row?.key ?? entry.prefix ?? ''

/** How the entries of a list are written. */
interface Style {
  text: (key: string) => string
  /** How each object says whose it is. */
  owners?: ((row: Owned) => Element) | undefined
}
type Owned = Pick<ObjectRow, 'created_by' | 'acl'>

/** An object's `<Contents>`, or with `version` a `<Version>`. */
function contents(
  row: Owned & Pick<ObjectRow, 'key' | 'last_modified' | 'etag' | 'size' | 'checksums' | 'storage_class'>,
  { text, owners }: Style,
  version?: Element,
): Element {
  const tag = version ? 'Version' : 'Contents'
  const said = row.checksums === null ? '' : kindsOf(row.checksums)
  // A page has a thousand of these: one text each, without objects for their elements.
  return {
    xml: `<${tag}>${leaf('Key', text(row.key))}${version?.xml ?? ''}<LastModified>${xmlTime(row.last_modified)}</LastModified><ETag>&quot;${escapeXml(row.etag)}&quot;</ETag>${said}<Size>${row.size}</Size>${owners?.(row).xml ?? ''}${leaf('StorageClass', row.storage_class ?? 'STANDARD')}</${tag}>`,
  }
}

const kindElements = (checksums: readonly Pick<Checksum, 'algorithm' | 'type'>[]): string => {
  let said = ''
  for (const { algorithm } of checksums) said += leaf('ChecksumAlgorithm', nameOf(algorithm))
  if (checksums[0]) said += leaf('ChecksumType', checksums[0].type.toUpperCase())
  return said
}

/** Those of a single checksum, by what its document has before the value. */
const OF_ONE = new Map(
  checksumAlgorithms.flatMap((algorithm) =>
    (['full_object', 'composite'] as const).map((type) => [
      JSON.stringify([{ algorithm, type }]).replace('}]', ',"value":"'),
      kindElements([{ algorithm, type }]),
    ]),
  ),
)
const VALUE = '"value":"'

/** Of which kinds an object's checksums are. Almost all documents have one, whose value a list does not show. */
function kindsOf(document: string): string {
  const at = document.indexOf(VALUE) + VALUE.length
  const isOne = document.indexOf('"', at) === document.length - '"}]'.length
  const known = isOne ? OF_ONE.get(document.slice(0, at)) : undefined
  return known ?? kindElements(JSON.parse(document) as Checksum[])
}

function* entryElements(entries: readonly ListedEntry[], style: Style): Generator<Element> {
  for (const { row } of entries) if (row) yield contents(row, style)
  yield* prefixElements(entries, style)
}

function* prefixElements(entries: readonly { prefix?: string | undefined }[], { text }: Style): Generator<Element> {
  for (const { prefix } of entries)
    if (prefix !== undefined) yield element('CommonPrefixes', element('Prefix', text(prefix)))
}

function* versionElements(
  versions: readonly ListedVersion[],
  entries: readonly { prefix?: string | undefined }[],
  style: Style,
): Generator<Element> {
  for (const version of versions) yield versionElement(version, style)
  yield* prefixElements(entries, style)
}

/** How objects say whose they are. */
async function ownersIn(exchange: Exchange, rows: readonly Owned[]): Promise<(row: Owned) => Element> {
  const ownerOf = await findOwners(exchange)
  const owners = await ownersOf(exchange, rows.map(ownerOf))
  return (row) => owners(ownerOf(row))
}
const rowsOf = (entries: readonly ListedEntry[]) => entries.flatMap(({ row }) => row ?? [])

/** `ListObjects`, the first version: `marker` is the last name seen. */
export async function listObjects(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  const { prefix, delimiter, limit, text, said } = readList(exchange)
  const marker = parameter(exchange, 'marker') ?? ''
  const { entries, more } = await listEntries(ctx, bucket, { prefix, delimiter, after: marker, limit })
  const last = entries.at(-1)
  await answerXml(
    exchange,
    longResult(
      'ListBucketResult',
      [
        element('Name', bucket),
        // Not encoded: clients decode it nowhere.
        element('Prefix', prefix),
        element('Marker', text(marker)),
        element('NextMarker', more && delimiter !== '' && last ? text(nameIn(last)) : undefined),
        element('MaxKeys', limit),
        ...said,
        element('IsTruncated', more),
      ],
      entryElements(entries, { text, owners: await ownersIn(exchange, rowsOf(entries)) }),
    ),
  )
}

/** A `<Version>` or a `<DeleteMarker>`. */
function versionElement(row: ListedVersion, style: Style): Element {
  const said = { xml: leaf('VersionId', row.version_id ?? 'null') + leaf('IsLatest', String(row.latest)) }
  if (row.blob_id !== null) return contents(row, style, said)
  return element(
    'DeleteMarker',
    element('Key', style.text(row.key)),
    said,
    element('LastModified', xmlTime(row.last_modified)),
    style.owners?.(row),
  )
}

/** `ListObjectVersions`: versions and delete markers; `key-marker` and `version-id-marker` are the last seen. */
export async function listObjectVersions(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  const { prefix, delimiter, limit, text, said } = readList(exchange)
  const keyMarker = parameter(exchange, 'key-marker') ?? ''
  const versionMarker = parameter(exchange, 'version-id-marker') || undefined
  if (versionMarker !== undefined && keyMarker === '')
    throw invalidArgument(
      'version-id-marker',
      versionMarker,
      'A version-id marker cannot be specified without a key marker.',
    )
  if (versionMarker !== undefined && !isPlaceName(versionMarker))
    throw invalidArgument('version-id-marker', versionMarker, 'Invalid version id specified')
  const after =
    versionMarker === undefined ? { key: keyMarker } : await positionAfterVersion(ctx, bucket, keyMarker, versionMarker)
  const { entries, more } = await listVersions(ctx, bucket, { prefix, delimiter, after, limit })
  const versions = entries.flatMap(({ version }) => version ?? [])
  const owners = await ownersIn(exchange, versions)
  const last = more ? entries.at(-1) : undefined
  await answerXml(
    exchange,
    longResult(
      'ListVersionsResult',
      [
        element('Name', bucket),
        element('Prefix', text(prefix)),
        element('KeyMarker', text(keyMarker)),
        element('VersionIdMarker', versionMarker ?? ''),
        element('NextKeyMarker', last && text(last.version?.key ?? last.prefix ?? '')),
        element('NextVersionIdMarker', last?.version && nameOfPlace(last.version)),
        element('MaxKeys', limit),
        ...said,
        element('IsTruncated', more),
      ],
      versionElements(versions, entries, { text, owners }),
    ),
  )
}

/** `ListObjectsV2`: continues with an opaque token. */
export async function listObjectsV2(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  const { prefix, delimiter, limit, text, said } = readList(exchange)
  const startAfter = parameter(exchange, 'start-after')
  const token = parameter(exchange, 'continuation-token')
  const after = !token ? (startAfter ?? '') : placeOf(token)
  const { entries, more } = await listEntries(ctx, bucket, { prefix, delimiter, after, limit })
  const last = entries.at(-1)
  const owner = parameter(exchange, 'fetch-owner') === 'true'
  await answerXml(
    exchange,
    longResult(
      'ListBucketResult',
      [
        element('Name', bucket),
        element('Prefix', text(prefix)),
        element('StartAfter', startAfter === undefined ? undefined : text(startAfter)),
        element('ContinuationToken', token),
        element('NextContinuationToken', more && last ? encodeCursor([nameIn(last)]) : undefined),
        element('KeyCount', entries.length),
        element('MaxKeys', limit),
        ...said,
        element('IsTruncated', more),
      ],
      entryElements(entries, { text, owners: owner ? await ownersIn(exchange, rowsOf(entries)) : undefined }),
    ),
  )
}

/** Whether a text can be a `NextVersionIdMarker` of ours, or the id of a version. */
const isPlaceName = (text: string): boolean => isVersionName(text.replace(/\.\d{1,15}$/, ''))

function placeOf(token: string): string {
  try {
    const [place = ''] = decodeCursor(token, 1) ?? []
    if (!place.includes('\0')) return place
  } catch {
    // Answered below.
  }
  throw invalidArgument('continuation-token', token, 'The continuation token provided is incorrect')
}
