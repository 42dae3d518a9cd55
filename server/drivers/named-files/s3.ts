import * as s3 from '@aws-sdk/client-s3'
import { ask, connect, S3Failure, type S3Options, unless } from '../s3/client.ts'
import type { NamedFile, NamedFiles } from './named-files.ts'

/** Named files as objects of any S3-compatible engine. Relies on what `s3Driver` relies on: an object is whole or absent. */
export function namedObjectsIn(options: S3Options): NamedFiles {
  const { bucket: Bucket, prefix } = options
  const client = connect(options)
  const at = (name: string) => ({ Bucket, Key: prefix + name })
  /** The pages of a list, of what lies directly in a folder if there is a delimiter. */
  async function* pagesOf(within: string, Delimiter?: string): AsyncGenerator<s3.ListObjectsV2CommandOutput> {
    for (let ContinuationToken: string | undefined; ; ) {
      const request = { Bucket, Prefix: prefix + within, Delimiter, ContinuationToken }
      const page = await ask('ListObjectsV2', client.send(new s3.ListObjectsV2Command(request)))
      yield page
      ContinuationToken = page.NextContinuationToken
      if (ContinuationToken === undefined) return
    }
  }
  async function put(name: string, bytes: Buffer, condition?: Pick<s3.PutObjectCommandInput, 'IfNoneMatch'>) {
    const request = { ...at(name), Body: bytes, ContentLength: bytes.length, ...condition }
    await ask('PutObject', client.send(new s3.PutObjectCommand(request)))
  }
  async function get(name: string): Promise<Buffer | undefined> {
    const found = await unless(
      ['NoSuchKey', 'NotFound'],
      ask('GetObject', client.send(new s3.GetObjectCommand(at(name)))),
    )
    return found?.Body && Buffer.from(await ask('GetObject', found.Body.transformToByteArray()))
  }
  return {
    put,
    get,
    async create(name, bytes) {
      try {
        await put(name, bytes, { IfNoneMatch: '*' })
      } catch (error) {
        if (!(error instanceof S3Failure)) throw error
        // An engine that knows no conditions: whoever came later reads what was there before.
        if (error.status === 501) {
          if (!(await get(name))) await put(name, bytes)
        } else if (error.status !== 412 && error.status !== 409) throw error
      }
      // It may be ours although the answer was lost, or another's although the engine ignores the condition.
      return (await get(name))?.equals(bytes) === true
    },
    async list(within) {
      const found: NamedFile[] = []
      for await (const { Contents = [] } of pagesOf(within))
        for (const { Key = '', Size = 0 } of Contents) found.push({ name: Key.slice(prefix.length), size: Size })
      return found
    },
    async folders(within) {
      const found: string[] = []
      for await (const { CommonPrefixes = [] } of pagesOf(within, '/'))
        found.push(...CommonPrefixes.map(({ Prefix = '' }) => Prefix.slice(prefix.length)))
      return found
    },
    async remove(name) {
      await unless(['NoSuchKey', 'NotFound'], ask('DeleteObject', client.send(new s3.DeleteObjectCommand(at(name)))))
    },
    close: () => client.destroy(),
  }
}
