import * as s3 from '@aws-sdk/client-s3'
import { ask, connect, type S3Options } from './client.ts'

/** Resolves if the engine lists what is under the prefix of `options`, within `ms`. Reads only. */
export async function reachS3(options: S3Options, ms: number): Promise<void> {
  const client = connect(options)
  try {
    const command = new s3.ListObjectsV2Command({ Bucket: options.bucket, Prefix: options.prefix, MaxKeys: 1 })
    const answer = await ask('ListObjectsV2', client.send(command, { abortSignal: AbortSignal.timeout(ms) }))
    // The SDK reads a web page as an empty list.
    if ([answer.Name, answer.KeyCount, answer.MaxKeys, answer.IsTruncated].every((one) => one === undefined))
      throw Object.assign(new Error('Deserialization error'), { status: 200 })
  } finally {
    client.destroy()
  }
}
