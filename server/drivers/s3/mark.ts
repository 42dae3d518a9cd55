import * as s3 from '@aws-sdk/client-s3'
import type { BlobDriver } from '../driver.ts'
import { ask, unless } from './client.ts'

/** The object that says whose storage this is. */
export function s3Mark(
  client: s3.S3Client,
  at: { Bucket: string; Key: string },
): Pick<BlobDriver, 'owner' | 'claimFor' | 'unclaim'> {
  async function owner(): Promise<string | null> {
    const answer = await unless(['NoSuchKey', 'NotFound'], ask('GetObject', client.send(new s3.GetObjectCommand(at))))
    return answer ? ((await answer.Body?.transformToString()) ?? '').trim() : null
  }
  return {
    owner,
    async claimFor(instance) {
      const Body = Buffer.from(`${instance}\n`)
      const request = { ...at, Body, ContentLength: Body.length }
      if ((await owner()) === null) await ask('PutObject', client.send(new s3.PutObjectCommand(request)))
    },
    async unclaim(instance) {
      if ((await owner()) === instance) await ask('DeleteObject', client.send(new s3.DeleteObjectCommand(at)))
    },
  }
}
