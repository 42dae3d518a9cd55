import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import * as s3 from '@aws-sdk/client-s3'
import { ServiceError } from '../../../contract/errors.ts'
import { isKeyText } from '../../../contract/names.ts'
import type { ByteRange } from '../../base/byte-range.ts'
import { compareBytesIn, type KeyOrder, otherOrder } from '../../base/key-order.ts'
import { type BlobBody, BlobMissing, StorageAway } from '../driver.ts'
import {
  ExternalChanged,
  type ExternalRef,
  type ExternalSource,
  type HeadOfObject,
  type ListedObject,
  type ListedPage,
  type ListFrom,
  ListingDisordered,
  type RefusedKey,
  UnexpectedAnswer,
} from '../external.ts'
import { countedStream, sliceStream } from './bytes.ts'
import { ask, connect, S3Failure, type S3Options, unless } from './client.ts'

const PAGE = 1000
/** Bodies up to this size are returned as one chunk. */
const ONE_CHUNK = 64 * 1024
/** Classes whose objects have to be restored before they can be read. */
const ARCHIVES = new Set(['GLACIER', 'DEEP_ARCHIVE'])
/** What XML cannot carry is U+FFFD there, so such a key cannot be told from another one. */
const UNTOLD =
  'The engine does not say the whole key: a character that XML cannot carry, or U+FFFD, is in it, and its list is not URL-encoded as was asked.'
const GONE = ['NoSuchKey', 'NoSuchVersion']

/** An ETag without its quotes. What cannot be sent as one counts as none. */
export const bareEtag = (etag: string | undefined): string | null => {
  const text = etag?.replace(/^(W\/)?"|"$/g, '') ?? ''
  return /^[!#-~]{1,200}$/.test(text) ? text : null
}

/** Objects that others keep in a bucket of an S3 engine; the prefix of `options` does not count. */
export function s3Source(options: S3Options): ExternalSource {
  const { bucket: Bucket } = options
  const client = connect(options)

  async function askForList(
    what: Omit<s3.ListObjectsV2CommandInput, 'Bucket'>,
  ): Promise<s3.ListObjectsV2CommandOutput> {
    const command = new s3.ListObjectsV2Command({ Bucket, EncodingType: 'url', ...what })
    const answer = await ask('ListObjectsV2', client.send(command))
    // The SDK reads a web page as an empty list.
    if ([answer.Name, answer.KeyCount, answer.MaxKeys, answer.IsTruncated].every((one) => one === undefined))
      throw new UnexpectedAnswer('The endpoint does not answer like an S3 engine')
    return answer
  }

  async function list(prefix: string, { after, next, order = 'bytes' }: ListFrom): Promise<ListedPage> {
    const from = next === undefined ? { StartAfter: after } : { ContinuationToken: next }
    const answer = await askForList({ Prefix: prefix, MaxKeys: PAGE, ...from })
    const { Contents = [], IsTruncated, NextContinuationToken } = answer
    if (IsTruncated && !NextContinuationToken)
      throw new UnexpectedAnswer('The storage cuts the list off without saying how to continue')
    const isEncoded = answer.EncodingType === 'url'
    return {
      ...arranged(
        Contents.map((object) => ({ object, bytes: bytesOfKey(object.Key ?? '', isEncoded) })),
        { prefix, after, order, isEncoded },
      ),
      next: IsTruncated ? NextContinuationToken : undefined,
    }
  }

  async function head(key: string): Promise<HeadOfObject | undefined> {
    const answer = await ask('HeadObject', client.send(new s3.HeadObjectCommand({ Bucket, Key: key }))).catch(
      async (error: unknown) => {
        if (!(error instanceof S3Failure)) throw error
        // A HEAD does not say whether it is the object that is missing, or the bucket.
        if (error.status === 404 && (await isGone(key))) return undefined
        // Whoever may list only part of a bucket is not told that an object is missing.
        if (error.status === 403 && (await isUnlisted(key).catch(() => false))) return undefined
        throw error.status === 404 ? new UnexpectedAnswer('The storage denies an object that it sends') : error
      },
    )
    if (!answer) return undefined
    const { ContentLength: size, StorageClass = null, Restore = '' } = answer
    if (answer.ETag === undefined && answer.LastModified === undefined)
      throw new UnexpectedAnswer('The endpoint does not answer like an S3 engine')
    if (size === undefined) throw new UnexpectedAnswer('The storage does not say how many bytes an object has')
    const headers = {
      'cache-control': answer.CacheControl,
      'content-disposition': answer.ContentDisposition,
      'content-encoding': answer.ContentEncoding?.replace(/^aws-chunked(,\s*)?/, ''),
      'content-language': answer.ContentLanguage,
      expires: answer.ExpiresString,
      'x-amz-website-redirect-location': answer.WebsiteRedirectLocation,
    }
    return {
      key,
      size,
      etag: bareEtag(answer.ETag),
      modified_at: answer.LastModified ?? new Date(0),
      storage_class: StorageClass,
      version_id: answer.VersionId && answer.VersionId !== 'null' ? answer.VersionId : null,
      archived:
        (ARCHIVES.has(StorageClass ?? '') && !Restore.includes('ongoing-request="false"')) ||
        answer.ArchiveStatus !== undefined,
      content_type: answer.ContentType,
      headers: Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value]] : []))),
      metadata: answer.Metadata ?? {},
      tagged: (answer.TagCount ?? 0) > 0,
    }
  }

  /** Whether the engine says that there is no such key; it throws what else it says. */
  async function isGone(key: string): Promise<boolean> {
    const first = new s3.GetObjectCommand({ Bucket, Key: key, Range: 'bytes=0-0' })
    const answer = await unless(GONE, ask('GetObject', client.send(first)))
    ;(answer?.Body as Readable | undefined)?.on('error', () => undefined).destroy()
    return answer === undefined
  }

  /** Whether the engine lists what starts with a key, but not the key itself, which would be the first. */
  async function isUnlisted(key: string): Promise<boolean> {
    const { Contents: [first] = [], EncodingType } = await askForList({ Prefix: key, MaxKeys: 1 })
    return !first || bytesOfKey(first.Key ?? '', EncodingType === 'url').toString() !== key
  }

  async function get(ref: ExternalRef, range?: ByteRange): Promise<BlobBody> {
    const { key, version_id, etag, size } = ref
    const { start, end } = range ?? { start: 0, end: size - 1 }
    if (range && (start < 0 || end < start || end >= size)) throw new RangeError('The range is outside the object')
    if (size === 0) return Buffer.alloc(0)
    const length = end - start + 1
    const command = new s3.GetObjectCommand({
      Bucket,
      Key: key,
      ...(version_id === null ? {} : { VersionId: version_id }),
      ...(etag === null ? {} : { IfMatch: `"${etag}"` }),
      ...(length === size ? {} : { Range: `bytes=${start}-${end}` }),
    })
    const answer = await ask('GetObject', client.send(command)).catch((error: unknown) => {
      if (error instanceof S3Failure && error.code === 'InvalidObjectState')
        throw new ServiceError('archived', 'The object is in an archive of its storage. Restore it there first.', {
          cause: error,
        })
      const changed =
        error instanceof S3Failure && (error.status === 412 || error.status === 416 || GONE.includes(error.code))
      throw changed ? new ExternalChanged(error) : error
    })
    const body = answer.Body as unknown as Readable
    try {
      assertSame(answer, ref)
      const isWhole = answer.ContentRange === undefined
      if (!isWhole && answer.ContentRange !== `bytes ${start}-${end}/${size}`)
        throw rangeFault(answer.ContentRange, size)
      assertLength(answer.ContentLength, isWhole ? size : length)
      const stream = countedStream(key, isWhole && length < size ? sliceStream(body, start, length) : body, length)
      return length > ONE_CHUNK ? stream : Buffer.concat(await stream.toArray())
    } catch (error) {
      body.on('error', () => undefined).destroy()
      if (error instanceof StorageAway) throw error
      if (error instanceof BlobMissing)
        throw new UnexpectedAnswer('The storage sends fewer bytes of an object than it announces')
      throw new UnexpectedAnswer('The storage broke off the connection', { cause: error })
    }
  }

  return {
    list,
    head,
    get,
    async tags(Key, version) {
      const which = { Bucket, Key, ...(version === null ? {} : { VersionId: version }) }
      const answer = await unless(
        ['AccessDenied', 'NotImplemented', 'MethodNotAllowed'],
        ask('GetObjectTagging', client.send(new s3.GetObjectTaggingCommand(which))),
      )
      return answer ? Object.fromEntries((answer.TagSet ?? []).map(({ Key = '', Value = '' }) => [Key, Value])) : null
    },
    close: () => client.destroy(),
  }
}

/** Throws unless an answer is about these bytes. */
function assertSame(
  { ETag, LastModified }: Pick<s3.GetObjectCommandOutput, 'ETag' | 'LastModified'>,
  { etag, modified_at }: ExternalRef,
): void {
  if (etag === null) {
    // HTTP knows seconds only.
    if (LastModified && seconds(LastModified) !== seconds(new Date(modified_at))) throw new ExternalChanged()
    return
  }
  if (ETag === undefined) throw new UnexpectedAnswer('The storage sends an object without its ETag')
  if (bareEtag(ETag) !== etag) throw new ExternalChanged()
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000)

function assertLength(length: number | undefined, expected: number): void {
  if (length === undefined) throw new UnexpectedAnswer('The storage does not say how many bytes it sends')
  if (length !== expected)
    throw new UnexpectedAnswer(
      `The storage sends ${length} bytes of an object instead of ${expected}, under the same ETag`,
    )
}

/** The error for a range that was not asked for. */
const rangeFault = (range: string | undefined, size: number): Error =>
  /\/(\d+)$/.exec(range ?? '')?.[1] === String(size)
    ? new UnexpectedAnswer('The storage sends another range of an object than was asked for')
    : new ExternalChanged()

interface Named {
  object: s3._Object
  bytes: Buffer
}

/** Listed objects, of which those that cannot be ours are refused. Throws ListingDisordered and UnexpectedAnswer. */
function arranged(
  named: readonly Named[],
  {
    prefix,
    after,
    order,
    isEncoded,
  }: { prefix: string; after: string | undefined; order: KeyOrder; isEncoded: boolean },
): Pick<ListedPage, 'objects' | 'refused'> {
  const objects: ListedObject[] = []
  const refused: RefusedKey[] = []
  assertOrdered([...(after === undefined ? [] : [Buffer.from(after)]), ...named.map(({ bytes }) => bytes)], order)
  for (const { object, bytes } of named) {
    const key = bytes.toString()
    const refuse = (reason: string) => refused.push({ bytes, key: shown(bytes), reason })
    if (!isUtf8(bytes)) refuse('The key is not UTF-8.')
    else if (!isEncoded && key.includes('\ufffd')) refuse(UNTOLD)
    else if (!key.startsWith(prefix)) throw new UnexpectedAnswer('The storage lists keys that do not have the prefix')
    else if (key.length > prefix.length && !isKeyText(key.slice(prefix.length), 1))
      refuse(bytes.includes(0) ? 'The key contains NUL.' : 'The key has more than 1,024 bytes.')
    // What has the prefix itself as its key is the marker of its folder.
    else if (key.length > prefix.length) objects.push(listed(object, key))
  }
  return { objects, refused }
}

/** Throws ListingDisordered unless each key comes after the one before. */
function assertOrdered(keys: readonly Buffer[], order: KeyOrder): void {
  const firstOdd = (by: KeyOrder) =>
    keys.findIndex((key, at) => at > 0 && compareBytesIn(by, keys[at - 1] as Buffer, key) >= 0)
  const at = firstOdd(order)
  if (at < 0) return
  const [one, two] = [keys[at - 1] as Buffer, keys[at] as Buffer]
  const other = otherOrder(order)
  throw new ListingDisordered(
    `The keys are not listed in byte order, nor folder by folder: “${shown(one)}” comes before “${shown(two)}”.`,
    firstOdd(other) < 0 ? other : undefined,
  )
}

function listed({ Size, ETag, LastModified, StorageClass }: s3._Object, key: string): ListedObject {
  if (Size === undefined || !Number.isSafeInteger(Size) || Size < 0)
    throw new UnexpectedAnswer('The storage lists an object without its size')
  return {
    key,
    size: Size,
    etag: bareEtag(ETag),
    modified_at: LastModified ?? new Date(0),
    storage_class: StorageClass ?? null,
  }
}

const shown = (bytes: Uint8Array): string => {
  const text = Buffer.from(bytes).toString()
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** The bytes of a key in a list; of an encoded one `+` is a space, as in forms. */
export function bytesOfKey(key: string, isEncoded: boolean): Buffer {
  if (!isEncoded) return Buffer.from(key)
  const binary = Buffer.from(key).toString('latin1').replaceAll('+', ' ')
  return Buffer.from(
    binary.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}
