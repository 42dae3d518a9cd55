import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import * as s3 from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { sizeOfRanges } from '../../base/byte-range.ts'
import { STORED_SEGMENT } from '../../segments/layout.ts'
import type { StoredBlob, StoredPart } from '../driver.ts'
import { assertBlobId, type BlobDriver, BlobMissing, isBlobId, MARK, UnnamedPartsRefused } from '../driver.ts'
import { countedStream, divided, gatherExactly, gathered, ignore, sendExactly } from './bytes.ts'
import { ask, connect, type S3Options, unless } from './client.ts'
import { s3Held } from './held.ts'
import { s3Mark } from './mark.ts'
import { s3Orphans } from './orphans.ts'
import { assertHandle, assertPart, assertRef, couldBeMadeOf, partSizes, s3Uploads } from './uploads.ts'

const MiB = 1024 ** 2
const GiB = 1024 ** 3

/** Bodies up to this size are returned as one chunk. */
const ONE_CHUNK = STORED_SEGMENT
/** Blobs and parts up to this size are sent from a buffer, so that the SDK can retry. */
const SENT_AGAIN = MiB / 4
/** Most bytes that an engine is asked to copy as a part: the answer to more might take too long. */
const MOST_COPIED = 1 * GiB
/** Most bytes that S3 accepts in one request, and the part size for larger blobs of unknown size. */
const LIMITS = { single: 5 * GiB, part: 8 * MiB }

/**
 * Blobs as objects `<prefix><last two digits>/<id>` in a bucket of any S3-compatible engine. Relies on this: an object
 * exists once its PUT was answered, completely or not at all, and so does a part. Does not rely on conditional requests
 * or on the engine's checksums, which some engines ignore. Whether an id is free is checked before a put ends, which
 * suffices for random ids.
 *
 * A blob of unknown size is buffered: 8 MiB, and beyond 8 GiB gradually more, so that 10,000 parts make 5 TiB. Parts are
 * S3's own: all but the last must have at least 5 MiB (otherwise completeParts rejects with EntityTooSmall), and at most
 * 5 GiB.
 */
export function s3Driver(options: S3Options): BlobDriver {
  const { bucket: Bucket, prefix, direct = false, limits = LIMITS } = options
  const client = connect(options)
  const uploads = s3Uploads(client, Bucket)
  const putting = new Map<string | symbol, Promise<unknown>>()
  let closed = false

  const keyOf = (id: string): string => {
    assertBlobId(id)
    return `${prefix}${id.slice(-2)}/${id}`
  }

  const head = (Key: string): Promise<s3.HeadObjectCommandOutput | undefined> =>
    unless(['NotFound', 'NoSuchKey'], ask('HeadObject', client.send(new s3.HeadObjectCommand({ Bucket, Key }))))
  /** The size of an object, if it exists. */
  const sizeOf = async (Key: string): Promise<number | undefined> => {
    const found = await head(Key)
    return found && (found.ContentLength ?? 0)
  }
  const removeObject = (Key: string) =>
    unless(['NoSuchKey', 'NotFound'], ask('DeleteObject', client.send(new s3.DeleteObjectCommand({ Bucket, Key }))))
  const putObject = (Key: string, Body: Readable | Buffer, ContentLength: number, abortSignal?: AbortSignal) =>
    ask(
      'PutObject',
      client.send(new s3.PutObjectCommand({ Bucket, Key, Body, ContentLength }), abortSignal && { abortSignal }),
    )

  /** Runs `work` unless the driver is closed; closing waits for it. On failure, destroys a source that is a stream. */
  async function writing<T>(name: string | symbol, source: unknown, work: () => Promise<T>): Promise<T> {
    try {
      if (closed) throw new Error('The blob storage is closed')
      if (putting.has(name)) throw new Error(`Blob ${String(name)} exists already`)
      const result = work()
      putting.set(name, result)
      try {
        return await result
      } finally {
        putting.delete(name)
      }
    } catch (error) {
      if (source instanceof Readable) source.destroy()
      throw error
    }
  }

  async function put(id: string, source: AsyncIterable<Uint8Array>, size?: number, replaces = false): Promise<number> {
    const key = keyOf(id)
    const found = replaces ? undefined : sizeOf(key)
    found?.catch(ignore)
    let finishing = false
    const mayFinish = async () => {
      if ((await found) !== undefined) throw new Error(`Blob ${id} exists already`)
      finishing = true
    }
    try {
      if (size === undefined) return await putGathered(key, source, mayFinish)
      if (size <= SENT_AGAIN) {
        const bytes = await gatherExactly(source, size)
        await mayFinish()
        await putObject(key, bytes, size)
      } else if (size <= limits.single)
        await sendExactly(source, size, mayFinish, (body, signal) => putObject(key, body, size, signal))
      else
        await uploads.whole(key, mayFinish, async (putPart) => {
          for await (const part of divided(source, partSizes(size, limits.single)))
            await sendExactly(part.bytes, part.size, async () => {}, putPart(part.size))
        })
      return size
    } catch (error) {
      // Without a response, or with a failure, the object may exist nevertheless.
      if (finishing && !replaces) await removeObject(key).catch(ignore)
      throw error
    }
  }

  async function putGathered(key: string, source: AsyncIterable<Uint8Array>, mayFinish: () => Promise<void>) {
    const buffers = gathered(source, (number) => limits.part * (1 + Math.max(0, Math.ceil((number - 1000) / 60))))
    const first = await buffers.next()
    if (first.done) return 0
    let total = first.value.bytes.length
    try {
      if (first.value.last) {
        await mayFinish()
        await putObject(key, first.value.bytes, total)
        return total
      }
      await uploads.whole(key, mayFinish, async (putPart) => {
        await putPart(total)(first.value.bytes)
        for await (const { bytes } of buffers) {
          await putPart(bytes.length)(bytes)
          total += bytes.length
        }
      })
      return total
    } finally {
      await buffers.return(undefined)
    }
  }

  const get: BlobDriver['get'] = async (id, size, range) => {
    const Key = keyOf(id)
    const start = range?.start ?? 0
    const end = range?.end ?? size - 1
    const length = end - start + 1
    if (range && (start < 0 || length < 1 || end >= size)) throw new RangeError('The range is outside the blob')
    if (length === 0) {
      if ((await sizeOf(Key)) === undefined) throw new BlobMissing(id)
      return Buffer.alloc(0)
    }
    const request = client.send(new s3.GetObjectCommand({ Bucket, Key, Range: `bytes=${start}-${end}` }))
    const answer = await unless(['NoSuchKey', 'NotFound', 'InvalidRange'], ask('GetObject', request))
    if (!answer) throw new BlobMissing(id)
    const source = answer.Body as unknown as Readable
    const whole = answer.ContentRange === undefined && start === 0
    const body = countedStream(id, source, length)
    if (answer.ContentLength !== length || !(whole || answer.ContentRange?.startsWith(`bytes ${start}-${end}/`))) {
      body.on('error', ignore).destroy()
      throw new BlobMissing(id)
    }
    return length > ONE_CHUNK ? body : Buffer.concat(await body.toArray())
  }

  async function remove(id: string): Promise<void> {
    const key = keyOf(id)
    await Promise.all([removeObject(key), uploads.abortAll(key)])
  }

  async function* list(): AsyncGenerator<StoredBlob> {
    let ContinuationToken: string | undefined
    do {
      const page: s3.ListObjectsV2CommandOutput = await ask(
        'ListObjectsV2',
        client.send(
          new s3.ListObjectsV2Command({ Bucket, Prefix: prefix, ...(ContinuationToken && { ContinuationToken }) }),
        ),
      )
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
        const id = Key.slice(prefix.length + 3)
        if (isBlobId(id) && keyOf(id) === Key) yield { id, size: Size, modified_at: LastModified ?? new Date(0) }
      }
      ContinuationToken = page.NextContinuationToken
    } while (ContinuationToken)
  }

  async function check(): Promise<void> {
    const key = `${prefix}probe-${randomUUID()}`
    try {
      await putObject(key, Buffer.from('strongroom'), 10)
    } catch (error) {
      await removeObject(key).catch(ignore)
      throw error
    }
    // Does everything that remove does, to find out now if that is not permitted.
    await Promise.all([removeObject(key), uploads.abortAll(key)])
  }

  return {
    traits: { buffered: 9 * MiB, leastPart: 5 * MiB },
    put: (id, source, size) => writing(id, source, () => put(id, source, size)),
    putOver: (id, source, size) => writing(id, source, () => put(id, source, size, true)),
    get,
    remove,
    async beginParts(id) {
      const key = keyOf(id)
      if ((await sizeOf(key)) !== undefined) throw new Error(`Blob ${id} exists already`)
      return uploads.begin(key)
    },
    async putPart(id, handle, { number, size }, source) {
      const key = keyOf(id)
      assertHandle(handle)
      assertPart(number, size)
      return writing(Symbol(id), source, async () => {
        const put = uploads.putPart(key, handle, number, size)
        const ref = await unless(
          ['NoSuchUpload', 'NoSuchKey'],
          size > SENT_AGAIN
            ? sendExactly(source, size, async () => {}, put)
            : gatherExactly(source, size).then((bytes) => put(bytes)),
        )
        if (ref === undefined) throw new BlobMissing(id)
        return ref
      })
    },
    async copyPart(id, handle, { number, size }, from, range) {
      const [key, source] = [keyOf(id), keyOf(from.id)]
      assertHandle(handle)
      assertPart(number, size)
      if (size > MOST_COPIED) return null
      const to = { Key: key, UploadId: handle, PartNumber: number }
      return writing(Symbol(id), undefined, () => uploads.copyPartOf(source, to, range))
    },
    async removePart(id, handle, { number, ref }) {
      keyOf(id)
      assertHandle(handle)
      assertPart(number, 0)
      assertRef(ref)
    },
    async listParts(id, handle) {
      const key = keyOf(id)
      assertHandle(handle)
      return (await uploads.listParts(key, handle)) ?? []
    },
    async completeParts(id, handle, parts: readonly StoredPart[]) {
      const key = keyOf(id)
      assertHandle(handle)
      if (parts.length === 0) throw new Error('A blob needs at least one part')
      let last = 0
      for (const { number, size, ref } of parts) {
        assertPart(number, size)
        if (number <= last) throw new Error('Invalid part order')
        assertRef(ref)
        last = number
      }
      await writing(Symbol(id), undefined, async () => {
        const outcome = await uploads.complete(key, handle, parts)
        if (outcome === 'in the way') throw new UnnamedPartsRefused(id)
        if (outcome === 'gone' ? !couldBeMadeOf(await head(key), parts) : outcome === 'differs')
          throw new BlobMissing(id)
      })
    },
    async copyRanges(id, from, ranges, onCopied) {
      const [key, source] = [keyOf(id), keyOf(from.id)]
      const size = sizeOfRanges(ranges)
      if (ranges.some(({ end }) => end >= from.size)) throw new RangeError('The range is outside the blob')
      await writing(id, undefined, async () => {
        if ((await sizeOf(source)) !== from.size) throw new BlobMissing(from.id)
        if ((await sizeOf(key)) !== undefined) throw new Error(`Blob ${id} exists already`)
        await (size === 0 ? putObject(key, Buffer.alloc(0), 0) : uploads.copyRanges(source, key, ranges, onCopied))
        // Some engines answer 200 and report a failure in the body.
        if ((await sizeOf(key)) !== size) throw new Error('The S3 engine made a copy of a different size')
      })
    },
    async abortParts(id, handle) {
      const key = keyOf(id)
      assertHandle(handle)
      await uploads.abort(key, handle)
    },
    async partUrl(id, handle, number, { expiresIn, size }) {
      const Key = keyOf(id)
      assertHandle(handle)
      assertPart(number, size)
      if (!direct) return null
      const part = { Bucket, Key, UploadId: handle, PartNumber: number, ContentLength: size }
      return getSignedUrl(client, new s3.UploadPartCommand(part), { expiresIn })
    },
    async directUrl(id, { expiresIn, contentType, contentDisposition }) {
      const Key = keyOf(id)
      if (!direct) return null
      const as = { ResponseContentType: contentType, ResponseContentDisposition: contentDisposition }
      return getSignedUrl(client, new s3.GetObjectCommand({ Bucket, Key, ...as }), { expiresIn })
    },
    list,
    ...s3Held({ client, Bucket, keyOf, remove }),
    ...s3Mark(client, { Bucket, Key: `${prefix}${MARK}` }),
    ...s3Orphans({ client, Bucket, prefix, uploads, keyOf, sizeOf, removeObject, most: limits.single }),
    check,
    async close() {
      closed = true
      await Promise.allSettled(putting.values())
      client.destroy()
    },
  }
}
