import type { Readable } from 'node:stream'
import * as s3 from '@aws-sdk/client-s3'
import type { StorageCheck } from '../../../contract/storages.ts'
import { explain } from '../explain.ts'
import { ask } from './client.ts'

/** What a check of the probe has found. */
export type Outcome = Pick<StorageCheck, 'status' | 'detail'>
export const passed = (detail: string): Outcome => ({ status: 'passed', detail })
export const warning = (detail: string): Outcome => ({ status: 'warning', detail })
export const failed = (detail: string): Outcome => ({ status: 'failed', detail })
export const skipped = (detail: string): Outcome => ({ status: 'skipped', detail })

/** An answer that no S3 engine should give. Its message is a sentence for administrators. */
export class ProbeFault extends Error {}
/** A sentence about what went wrong. */
export const reasonOf = (error: unknown): string => (error instanceof ProbeFault ? error.message : explain(error))

/** A key in a sentence. */
export const quoted = (key: string): string => `“${key.length > 100 ? `${key.slice(0, 100)}…` : key}”`

export type Engine = ReturnType<typeof engineOf>

/** What the probe asks of an engine. Each call has so many milliseconds, and rejects with an S3Failure. */
export function engineOf(client: s3.S3Client, Bucket: string, deadline: number) {
  function within<T>(call: string, work: (at: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    const abort = new AbortController()
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late.reject(Object.assign(new Error(`no answer in ${deadline} ms`), { name: 'TimeoutError' }))
      abort.abort()
    }, deadline)
    // S3Failure takes a code from an error's name: of the SDK's own errors after an abort, not all say what happened.
    return ask(call, Promise.race([late.promise, work({ abortSignal: abort.signal })])).finally(() =>
      clearTimeout(timer),
    )
  }
  return {
    list: (Prefix: string, MaxKeys: number, ContinuationToken?: string) =>
      within('ListObjectsV2', (at) => {
        const page = { Bucket, Prefix, MaxKeys, EncodingType: 'url', ContinuationToken } as const
        return client.send(new s3.ListObjectsV2Command(page), at)
      }),
    head: (Key: string) => within('HeadObject', (at) => client.send(new s3.HeadObjectCommand({ Bucket, Key }), at)),
    /** Reads at most one chunk more than `most` bytes. */
    get: (object: { Key: string; Range?: string; IfMatch?: string }, most: number) =>
      within('GetObject', async (at) => {
        const answer = await client.send(new s3.GetObjectCommand({ Bucket, ...object }), at)
        const chunks: Buffer[] = []
        let length = 0
        // Leaving the loop destroys the stream.
        for await (const chunk of answer.Body as unknown as Readable) {
          chunks.push(chunk)
          length += chunk.length
          if (length > most) break
        }
        return { ...answer, bytes: Buffer.concat(chunks) }
      }),
    put: (Key: string, Body: Buffer, ContentMD5?: string) =>
      within('PutObject', (at) => client.send(new s3.PutObjectCommand({ Bucket, Key, Body, ContentMD5 }), at)),
    remove: (Key: string, VersionId?: string) =>
      within('DeleteObject', (at) => client.send(new s3.DeleteObjectCommand({ Bucket, Key, VersionId }), at)),
    versioning: () =>
      within('GetBucketVersioning', (at) => client.send(new s3.GetBucketVersioningCommand({ Bucket }), at)),
    begin: (Key: string) =>
      within('CreateMultipartUpload', (at) => client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key }), at)),
    /** The ids of the unfinished uploads of a key. */
    uploads: (Key: string) =>
      within('ListMultipartUploads', async (at) => {
        const { Uploads = [] } = await client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix: Key }), at)
        return Uploads.flatMap((upload) => (upload.Key === Key && upload.UploadId ? [upload.UploadId] : []))
      }),
    abort: (Key: string, UploadId: string) =>
      within('AbortMultipartUpload', (at) =>
        client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }), at),
      ),
  }
}

/** Engines refuse signatures from 15 minutes on; this is worth a warning. */
const FAR_APART = 5 * 60_000

/** Notes at the client's first answer, be it an error, how far the engine's clock is from ours. */
export function watchClock(client: s3.S3Client, now: () => Date): () => Outcome {
  let ahead: number | undefined
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const { date = '' } = (result.response as { headers: Record<string, string> }).headers
      const told = Date.parse(date)
      if (Number.isFinite(told)) ahead ??= told - now().getTime()
      return result
    },
    // Nearer to the wire than the SDK's own, which throws if the answer is an error.
    { step: 'deserialize', priority: 'low' },
  )
  return () => {
    if (ahead === undefined) return skipped('The storage does not say what time it is.')
    if (Math.abs(ahead) <= FAR_APART) return passed('The clock of the storage agrees with this server’s.')
    const apart = `${Math.round(Math.abs(ahead) / 60_000)} minutes ${ahead > 0 ? 'ahead of' : 'behind'}`
    return warning(
      `The clock of the storage is ${apart} this server’s. Correct the wrong one: from 15 minutes on, signed requests may be refused.`,
    )
  }
}
