import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import * as s3 from '@aws-sdk/client-s3'
import type { ByteRange } from '../../base/byte-range.ts'
import type { StoredPart } from '../driver.ts'
import { ask, S3Failure, unless } from './client.ts'

/** What an upload's object is besides its bytes. */
type Fields = Omit<s3.CreateMultipartUploadCommandInput, 'Bucket' | 'Key'>

/** Sends one part and returns its ref, the ETag without quotes. */
type PutPart = (body: Readable | Buffer, abortSignal?: AbortSignal) => Promise<string>

const bare = (etag = ''): string => etag.replace(/^"|"$/g, '')

/** What names an object as the source of a copy. */
export const copySource = (bucket: string, key: string): string =>
  [bucket, ...key.split('/')].map(encodeURIComponent).join('/')

/** Splits a size into as few equal parts as possible. */
export function* partSizes(size: number, most: number): Generator<number> {
  const part = Math.min(most, Math.max(64 * 1024 ** 2, Math.ceil(size / 10_000)))
  for (let left = size; left > 0; left -= part) yield Math.min(left, part)
}

export function assertHandle(handle: string): void {
  if (!/^[\x21-\x7e]{1,2048}$/.test(handle)) throw new Error('Invalid upload handle')
}
export function assertPart(number: number, size: number): void {
  if (!Number.isInteger(number) || number < 1 || number > 10_000) throw new RangeError('Invalid part number')
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError('Invalid part size')
}
export function assertRef(ref: string): void {
  if (!/^"?[^"<>&\s]{1,256}"?$/.test(ref)) throw new Error('Invalid part reference')
}

/** Whether an upload was not completed because somebody else is completing it: Ceph's text, AWS's code. */
const isUnderWay = (error: unknown): boolean =>
  error instanceof S3Failure && (error.code === 'OperationAborted' || /already in progress/.test(error.message))

const MD5 = /^[0-9a-f]{32}$/

/**
 * Whether an object may have been made of these parts: by its size, and by its ETag where that is, as on most engines,
 * the MD5 of the parts' MD5s and their count. Another caller may have sent the same numbers and completed first.
 */
export function couldBeMadeOf(found: s3.HeadObjectCommandOutput | undefined, parts: readonly StoredPart[]): boolean {
  if (!found || (found.ContentLength ?? 0) !== parts.reduce((sum, { size }) => sum + size, 0)) return false
  const [refs, etag] = [parts.map(({ ref }) => bare(ref)), bare(found.ETag)]
  const [, told] = /^([0-9a-f]{32})-\d+$/.exec(etag) ?? []
  // With custom keys the engine's ETags are not MD5s.
  const encrypted = found.ServerSideEncryption?.startsWith('aws:kms') || found.SSECustomerAlgorithm !== undefined
  if (told === undefined || encrypted || !refs.every((ref) => MD5.test(ref))) return true
  const hash = createHash('md5')
  for (const ref of refs) hash.update(Buffer.from(ref, 'hex'))
  return etag === `${hash.digest('hex')}-${parts.length}`
}

/** The S3 multipart uploads of one bucket. */
export function s3Uploads(client: s3.S3Client, Bucket: string) {
  async function begin(Key: string, fields: Fields = {}): Promise<string> {
    const { UploadId } = await ask(
      'CreateMultipartUpload',
      client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key, ...fields })),
    )
    if (!UploadId) throw new Error('The S3 engine returned no upload id')
    return UploadId
  }

  const putPart =
    (Key: string, UploadId: string, PartNumber: number, ContentLength: number): PutPart =>
    async (Body, abortSignal) => {
      const part = new s3.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, ContentLength, Body })
      return bare((await ask('UploadPart', client.send(part, abortSignal && { abortSignal }))).ETag)
    }

  /** Undefined if there is no such upload (any more). */
  async function listParts(Key: string, UploadId: string): Promise<StoredPart[] | undefined> {
    const parts: StoredPart[] = []
    let marker: string | undefined
    do {
      const request = client.send(
        new s3.ListPartsCommand({ Bucket, Key, UploadId, ...(marker !== undefined && { PartNumberMarker: marker }) }),
      )
      const page: s3.ListPartsCommandOutput | undefined = await unless(
        ['NoSuchUpload', 'NoSuchKey'],
        ask('ListParts', request),
      )
      if (!page) return undefined
      for (const { PartNumber = 0, Size = 0, ETag } of page.Parts ?? [])
        parts.push({ number: PartNumber, size: Size, ref: bare(ETag) })
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined
    } while (marker !== undefined)
    return parts
  }

  const finish = (Key: string, UploadId: string, parts: readonly { number: number; ref: string }[]) =>
    ask(
      'CompleteMultipartUpload',
      client.send(
        new s3.CompleteMultipartUploadCommand({
          Bucket,
          Key,
          UploadId,
          MultipartUpload: {
            Parts: parts.map(({ number, ref }) => ({ PartNumber: number, ETag: `"${bare(ref)}"` })),
          },
        }),
      ),
    )

  /** Compares the parts with what the engine has, which not every engine does itself. */
  async function complete(
    Key: string,
    UploadId: string,
    parts: readonly StoredPart[],
  ): Promise<'done' | 'gone' | 'differs' | 'in the way'> {
    const present = await listParts(Key, UploadId)
    if (!present) return 'gone'
    const byNumber = new Map(present.map((part) => [part.number, part]))
    for (const { number, size, ref } of parts) {
      const part = byNumber.get(number)
      if (part?.size !== size || part.ref !== bare(ref)) return 'differs'
    }
    try {
      await finish(Key, UploadId, parts)
      return 'done'
    } catch (error) {
      const code = error instanceof S3Failure ? error.code : undefined
      if (code === 'NoSuchUpload') return 'gone'
      if (isUnderWay(error) && (await isGoneSoon(Key, UploadId))) return 'gone'
      // Ceph answers the same if parts that it has are left out.
      if (code === 'InvalidPart' && parts.length < present.length) return 'in the way'
      if (code === 'InvalidPart' || code === 'InvalidPartOrder') return 'differs'
      throw error
    }
  }

  /** Waits for another caller's completion, up to 20 seconds; false if the upload is still there. */
  async function isGoneSoon(Key: string, UploadId: string): Promise<boolean> {
    for (let tries = 0; tries < 100; tries++) {
      if (!(await listParts(Key, UploadId))) return true
      await setTimeout(200)
    }
    return false
  }

  const abort = async (Key: string, UploadId: string): Promise<void> => {
    const request = client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
    await unless(['NoSuchUpload', 'NoSuchKey'], ask('AbortMultipartUpload', request))
  }

  /** Aborts a key's unfinished uploads: multipart ones, and those of interrupted puts. */
  async function abortAll(Key: string): Promise<void> {
    for (;;) {
      const request = client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix: Key }))
      const { Uploads = [] } = await ask('ListMultipartUploads', request)
      const own = Uploads.filter((upload) => upload.Key === Key)
      if (own.length === 0) return
      for (const { UploadId } of own) if (UploadId) await abort(Key, UploadId)
      if (Uploads.length < 1000) return
    }
  }

  /**
   * Creates one object from parts that `send` sends one after another; leaves nothing if that or `mayFinish` rejects.
   */
  async function whole(
    key: string,
    mayFinish: () => Promise<void>,
    send: (part: (size: number) => PutPart) => Promise<void>,
    fields?: Fields,
  ): Promise<void> {
    const handle = await begin(key, fields)
    try {
      const parts: { number: number; ref: string }[] = []
      await send((size) => {
        const number = parts.length + 1
        return async (body, signal) => {
          const ref = await putPart(key, handle, number, size)(body, signal)
          parts.push({ number, ref })
          return ref
        }
      })
      await mayFinish()
      await finish(key, handle, parts)
    } catch (error) {
      await abort(key, handle).catch(() => {})
      throw error
    }
  }

  /** Has the engine copy a range of another object as a part; returns its ref. */
  async function copyPart(
    from: string,
    to: { Key: string; UploadId: string; PartNumber: number },
    { start, end }: ByteRange,
  ): Promise<string> {
    const source = { CopySource: copySource(Bucket, from), CopySourceRange: `bytes=${start}-${end}` }
    const request = client.send(new s3.UploadPartCopyCommand({ Bucket, ...to, ...source }))
    const { CopyPartResult } = await ask('UploadPartCopy', request)
    if (!CopyPartResult?.ETag) throw new Error('The S3 engine did not confirm the copy of a part')
    return bare(CopyPartResult.ETag)
  }

  /** The same; null if there is nothing to copy from or to, or not as much. */
  const copyPartOf = async (...call: Parameters<typeof copyPart>): Promise<string | null> =>
    (await unless(['NoSuchKey', 'NoSuchUpload', 'NotFound', 'InvalidRange', 'InvalidArgument'], copyPart(...call))) ??
    null

  /**
   * Makes an object of ranges of another, copied by the engine one after another; leaves nothing if it rejects. `onCopied`
   * is awaited after each range.
   */
  async function copyRanges(
    from: string,
    to: string,
    ranges: readonly ByteRange[],
    onCopied: () => Promise<void>,
  ): Promise<void> {
    const UploadId = await begin(to)
    try {
      const parts: { number: number; ref: string }[] = []
      for (const range of ranges) {
        const number = parts.length + 1
        parts.push({ number, ref: await copyPart(from, { Key: to, UploadId, PartNumber: number }, range) })
        await onCopied()
      }
      await finish(to, UploadId, parts)
    } catch (error) {
      await abort(to, UploadId).catch(() => {})
      throw error
    }
  }

  return { begin, putPart, listParts, complete, finish, abort, abortAll, whole, copyPartOf, copyRanges }
}
