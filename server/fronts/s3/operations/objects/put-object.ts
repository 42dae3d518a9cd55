import { trimBlanks } from '../../../../base/blanks.ts'
import { UNTYPED } from '../../../../base/media-type.ts'
import { readEntityTags } from '../../../../http/conditions.ts'
import type { Description } from '../../../../storage/objects/describe.ts'
import { type WriteConditions, write } from '../../../../storage/objects/write.ts'
import { descriptionOf } from '../../../description.ts'
import { answer } from '../../answers/answer.ts'
import { checksumHeaders } from '../../answers/checksums.ts'
import { writtenHeader } from '../../answers/version-headers.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import { claimedMd5, namedChecksums, objectChecksum } from '../../requests/checksums.ts'
import { decodeWords } from '../../requests/encoded-words.ts'
import { encryptionIn, writtenEncryption } from '../../requests/encryption.ts'
import { announcedLength, type Exchange, header, uploadIn } from '../../requests/exchange.ts'
import type { PostForm } from '../../requests/form.ts'
import type { Trailers } from '../../requests/signature/chunks.ts'
import { unsupportedHeader } from '../../requests/unsupported-headers.ts'
import { newObjectAcl } from '../documents/acl.ts'
import { expirationIn, lifecycleSubject } from '../documents/lifecycle-headers.ts'
import { tagsInHeader } from '../documents/tagging.ts'
import { lockIn } from '../locks.ts'

/** Most bytes of an upload that is not in parts. */
export const MOST_BYTES = 5 * 1024 ** 3
const STORAGE_CLASSES = new Set([
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'DEEP_ARCHIVE',
  'OUTPOSTS',
  'GLACIER_IR',
  'SNOW',
  'EXPRESS_ONEZONE',
])

/** Throws for what a request asks of an object that no object here can have. */
export function refuseUnsupported(exchange: Exchange): void {
  // With `content-range` it is a piece of an object: stored as a whole, it would replace the rest.
  if (header(exchange, 'content-range') !== undefined) throw unsupportedHeader('content-range')
}

/** The class a new object is to be kept in: accepted and shown, without effect. */
export function storageClassOf(exchange: Exchange): string | undefined {
  const given = header(exchange, 'x-amz-storage-class')
  if (given === undefined || STORAGE_CLASSES.has(given)) return given === 'STANDARD' ? undefined : given
  throw new S3Error('InvalidStorageClass', 'The storage class you specified is not valid')
}

/** The conditions of a request on the object that it replaces. */
export const writeConditions = ({ request: { headers } }: Exchange): WriteConditions => ({
  ifNoneMatch: readEntityTags(headers['if-none-match']),
  ifMatch: readEntityTags(headers['if-match']),
})

/** What a request says of the object with this key. */
export function describedBy(exchange: Exchange, key: string): Description {
  const { metadata, ...described } = descriptionOf(describing(exchange), key, { metadata: 'x-amz-meta-' })
  const decoded = Object.entries(metadata).map(([name, value]): [string, string] => [name, decodeWords(value)])
  assertSmall(decoded)
  const tagging = header(exchange, 'x-amz-tagging')
  return {
    ...described,
    metadata: Object.fromEntries(decoded),
    tags: tagging === undefined ? undefined : tagsInHeader(tagging),
  }
}

/** Most bytes of user metadata, as S3 counts them: of all names and values, in UTF-8. */
const MOST_METADATA = 2048

function assertSmall(metadata: readonly (readonly [name: string, value: string])[]): void {
  const size = metadata.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0)
  if (size <= MOST_METADATA) return
  throw new S3Error('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size', {
    fields: { Size: String(size), MaxSizeAllowed: String(MOST_METADATA) },
  })
}

/** Metadata that is given more than once: S3 joins the values with a comma, Node adds a space. */
function repeatedMetadata(rawHeaders: readonly string[]): { [name: string]: string } {
  const values = new Map<string, string[]>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    if (name.startsWith('x-amz-meta-')) values.set(name, [...(values.get(name) ?? []), rawHeaders[i + 1] ?? ''])
  }
  return Object.fromEntries([...values].filter(([, all]) => all.length > 1).map(([name, all]) => [name, all.join(',')]))
}

/** The headers that describe an object, without the framing of the body. */
function describing(exchange: Exchange): { [name: string]: string | undefined } {
  if (exchange.form) return ofForm(exchange.form)
  const { 'content-encoding': encoding, ...headers } = exchange.request.headers as { [name: string]: string }
  const kept = encoding
    ?.split(',')
    .map(trimBlanks)
    .filter((one) => one !== '' && one.toLowerCase() !== 'aws-chunked')
    .join(', ')
  const hoisted = Object.fromEntries([...(exchange.hoisted ?? [])].map(([name, value]) => asHeader(name, value)))
  return {
    ...hoisted,
    ...headers,
    ...repeatedMetadata(exchange.request.rawHeaders),
    ...(kept ? { 'content-encoding': kept } : {}),
    'content-type': headers['content-type'] || hoisted['content-type'] || UNTYPED,
  }
}

/** The fields of a form that describe an object, as headers would. */
function ofForm({ fields }: PostForm): { [name: string]: string } {
  const described = [...fields].filter(([name]) => DESCRIBING.test(name)).map(([name, value]) => asHeader(name, value))
  return { ...Object.fromEntries(described), 'content-type': fields.get('content-type') || UNTYPED }
}
const DESCRIBING =
  /^(x-amz-(meta-.*|tagging|website-redirect-location)|cache-control|content-(type|disposition|encoding|language)|expires)$/

/**
 * A field or a parameter as Node has headers, which can have neither control characters nor other names: who sends them
 * otherwise would get what nobody can read. Throws InvalidArgument.
 */
function asHeader(name: string, value: string): [name: string, value: string] {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || /[^\t\P{Cc}]/u.test(value))
    throw invalidArgument(name, value, 'A header has a name without spaces, and a value without control characters.')
  return [name, Buffer.from(value).toString('latin1')]
}

/** `PutObject`: the body becomes the object once all of it has been verified. */
export async function putObject(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key } = exchange
  refuseUnsupported(exchange)
  const announced = announcedLength(exchange)
  if ((announced ?? 0) > MOST_BYTES) throw tooLarge(announced ?? 0)
  const trailers: Trailers = new Map()
  const checksum = objectChecksum(exchange, trailers)
  const encryption = await encryptionIn(exchange)
  const upload = {
    key,
    ...uploadIn(exchange, trailers),
    announced,
    md5: claimedMd5(exchange),
    checksum,
    maxBytes: MOST_BYTES,
    storageClass: storageClassOf(exchange),
    acl: await newObjectAcl(exchange),
    lock: lockIn(exchange),
    encryption,
    ...describedBy(exchange, key),
  }
  const { object, lifecycle } = await write(ctx, bucket, upload, writeConditions(exchange))
  await answer(exchange, 200, {
    etag: `"${object.etag}"`,
    ...writtenHeader(object),
    ...writtenEncryption(object, encryption),
    'x-amz-expiration': expirationIn(lifecycle, lifecycleSubject(object)),
    ...checksumHeaders(namedChecksums(object.checksums)),
  })
}

export const tooLarge = (size: number, most = MOST_BYTES) =>
  new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', {
    fields: { ProposedSize: String(size), MaxSizeAllowed: String(most) },
  })
