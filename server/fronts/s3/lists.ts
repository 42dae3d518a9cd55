import { decodeCursor, encodeCursor } from '../../base/cursor.ts'
import { allowSomewhere } from '../../context.ts'
import { type ListedEntry, listEntries } from '../../storage/objects/entries.ts'
import type { ObjectRow } from '../../storage/objects/store.ts'
import { checksumsOf } from './checksums.ts'
import { invalidArgument } from './errors.ts'
import { answerXml, type Exchange, parameter } from './exchange.ts'
import { ownerElement } from './owner.ts'
import { element, result, type Xml, xmlTime } from './xml.ts'

const MOST_KEYS = 1000

/** A parameter for how many items a page may have; the most if it asks for more. Throws InvalidArgument. */
export function listLimit(exchange: Exchange, name: string, { least = 0, most = MOST_KEYS } = {}): number {
  const text = parameter(exchange, name)
  if (text === undefined || text === '') return most
  const number = Number(text)
  if (!/^\d{1,10}$/.test(text) || number < least || number > 2 ** 31 - 1)
    throw invalidArgument(name, text, `Provided ${name} not an integer or within integer range`)
  return Math.min(number, most)
}

/** What both versions of the listing share. */
function readList(exchange: Exchange) {
  const encoding = parameter(exchange, 'encoding-type')
  if (encoding !== undefined && encoding !== 'url')
    throw invalidArgument('encoding-type', encoding, 'Invalid Encoding Method specified in Request')
  const prefix = parameter(exchange, 'prefix') ?? ''
  const delimiter = parameter(exchange, 'delimiter') ?? ''
  const limit = listLimit(exchange, 'max-keys')
  for (const [name, text] of [
    ['prefix', prefix],
    ['delimiter', delimiter],
  ] as const)
    if (text.includes('\0')) throw invalidArgument(name, '', `${name} cannot contain NUL`)
  const text = (value: string) => (encoding === 'url' ? urlEncoded(value) : value)
  return { encoding, prefix, delimiter, limit, text }
}

/** As `encoding-type=url` has it: everything but letters, digits and `-._~/` in UTF-8, percent-encoded. */
const urlEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]|%2F/g, (one) =>
    one === '%2F' ? '/' : `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const nameOf = (entry: ListedEntry): string => entry.row?.key ?? entry.prefix ?? ''

/** An object's `<Contents>`. */
function contents(row: ObjectRow, text: (key: string) => string, owner: boolean): Xml {
  const checksums = checksumsOf(row)
  return element(
    'Contents',
    element('Key', text(row.key)),
    element('LastModified', xmlTime(row.last_modified)),
    element('ETag', `"${row.etag}"`),
    ...checksums.map(({ name }) => element('ChecksumAlgorithm', name)),
    element('ChecksumType', checksums[0]?.type),
    element('Size', row.size),
    owner ? ownerElement(row.created_by) : undefined,
    element('StorageClass', row.storage_class ?? 'STANDARD'),
  )
}

function entryElements(entries: readonly ListedEntry[], text: (key: string) => string, owner: boolean): Xml[] {
  return [
    ...entries.flatMap(({ row }) => (row ? [contents(row, text, owner)] : [])),
    ...entries.flatMap(({ prefix }) =>
      prefix === undefined ? [] : [element('CommonPrefixes', element('Prefix', text(prefix)))],
    ),
  ]
}

/** `ListObjects`, the first version: `marker` is the last name seen. */
export async function listObjects(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  const { encoding, prefix, delimiter, limit, text } = readList(exchange)
  const marker = parameter(exchange, 'marker') ?? ''
  const { entries, more } = await listEntries(ctx, bucket, { prefix, delimiter, after: marker, limit })
  const last = entries.at(-1)
  await answerXml(
    exchange,
    result(
      'ListBucketResult',
      element('Name', bucket),
      element('Prefix', text(prefix)),
      element('Marker', text(marker)),
      element('NextMarker', more && delimiter !== '' && last ? text(nameOf(last)) : undefined),
      element('MaxKeys', limit),
      element('Delimiter', delimiter === '' ? undefined : text(delimiter)),
      element('EncodingType', encoding),
      element('IsTruncated', more),
      ...entryElements(entries, text, true),
    ),
  )
}

/** `ListObjectsV2`: continues with an opaque token. */
export async function listObjectsV2(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  const { encoding, prefix, delimiter, limit, text } = readList(exchange)
  const startAfter = parameter(exchange, 'start-after')
  const token = parameter(exchange, 'continuation-token')
  allowSomewhere(ctx.actor, 'list', bucket, prefix)
  if (token === '') throw invalidArgument('continuation-token', '', 'The continuation token provided is incorrect')
  const after = token === undefined ? (startAfter ?? '') : placeOf(token)
  const { entries, more } = await listEntries(ctx, bucket, { prefix, delimiter, after, limit })
  const last = entries.at(-1)
  const owner = parameter(exchange, 'fetch-owner') === 'true'
  await answerXml(
    exchange,
    result(
      'ListBucketResult',
      element('Name', bucket),
      element('Prefix', text(prefix)),
      element('StartAfter', startAfter === undefined ? undefined : text(startAfter)),
      element('ContinuationToken', token),
      element('NextContinuationToken', more && last ? encodeCursor([nameOf(last)]) : undefined),
      element('KeyCount', entries.length),
      element('MaxKeys', limit),
      element('Delimiter', delimiter === '' ? undefined : text(delimiter)),
      element('EncodingType', encoding),
      element('IsTruncated', more),
      ...entryElements(entries, text, owner),
    ),
  )
}

function placeOf(token: string): string {
  try {
    const [place = ''] = decodeCursor(token, 1) ?? []
    return place
  } catch {
    throw invalidArgument('continuation-token', token, 'The continuation token provided is incorrect')
  }
}
