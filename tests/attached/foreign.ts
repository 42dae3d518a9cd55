import { randomUUID } from 'node:crypto'
import * as s3 from '@aws-sdk/client-s3'
import { connect } from '../../server/drivers/s3/client.ts'
import type { Gateway } from '../support/ceph.ts'

/** An object as its owner sees it. */
export interface Owned {
  key: string
  size: number
  etag: string
}

export const bare = (etag = ''): string => etag.replaceAll('"', '')

export type Foreign = Awaited<ReturnType<typeof foreignBucket>>

/**
 * A new bucket on the tests' engine, used by someone else than Strongroom. `empty` removes it with everything in it.
 */
export async function foreignBucket(gateway: Gateway, { versioned = false } = {}) {
  const endpoint = new URL(gateway.url).searchParams.get('endpoint') ?? ''
  const Bucket = `foreign-${randomUUID()}`
  const client = connect({ bucket: Bucket, prefix: '', endpoint, credentials: gateway.credentials })
  await client.send(new s3.CreateBucketCommand({ Bucket }))
  if (versioned)
    await client.send(new s3.PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }))

  async function listed(): Promise<Owned[]> {
    const found: Owned[] = []
    for (let StartAfter: string | undefined; ; ) {
      const page: s3.ListObjectsV2CommandOutput = await client.send(new s3.ListObjectsV2Command({ Bucket, StartAfter }))
      for (const { Key = '', Size = 0, ETag = '' } of page.Contents ?? [])
        found.push({ key: Key, size: Size, etag: bare(ETag) })
      StartAfter = found.at(-1)?.key
      if (!page.IsTruncated) return found
    }
  }
  async function versions(): Promise<{ Key: string; VersionId: string }[]> {
    const found: { Key: string; VersionId: string }[] = []
    let [KeyMarker, VersionIdMarker]: (string | undefined)[] = []
    for (;;) {
      const page: s3.ListObjectVersionsCommandOutput = await client.send(
        new s3.ListObjectVersionsCommand({ Bucket, KeyMarker, VersionIdMarker }),
      )
      for (const { Key = '', VersionId = '' } of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])])
        found.push({ Key, VersionId })
      if (!page.IsTruncated) return found
      KeyMarker = page.NextKeyMarker
      VersionIdMarker = page.NextVersionIdMarker
    }
  }
  const removeAll = async (all: s3.ObjectIdentifier[]): Promise<void> => {
    for (let at = 0; at < all.length; at += 1000)
      await client.send(
        new s3.DeleteObjectsCommand({ Bucket, Delete: { Objects: all.slice(at, at + 1000), Quiet: true } }),
      )
  }
  return {
    bucket: Bucket,
    client,
    put: (Key: string, Body: Uint8Array | string, more: Partial<s3.PutObjectCommandInput> = {}) =>
      client.send(new s3.PutObjectCommand({ Bucket, Key, Body, ...more })),
    /** Writes it as an upload of one part, whose ETag is no MD5 of its bytes; returns that. */
    async putInParts(Key: string, Body: Uint8Array): Promise<string> {
      const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key }))
      const upload = { Bucket, Key, UploadId }
      const { ETag } = await client.send(new s3.UploadPartCommand({ ...upload, PartNumber: 1, Body }))
      const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
      await client.send(new s3.CompleteMultipartUploadCommand({ ...upload, MultipartUpload }))
      // Ceph 16 leaves it out of that answer.
      return bare((await client.send(new s3.HeadObjectCommand({ Bucket, Key }))).ETag)
    },
    deleteOne: (Key: string) => client.send(new s3.DeleteObjectCommand({ Bucket, Key })),
    delete: (...keys: string[]) => removeAll(keys.map((Key) => ({ Key }))),
    async bytesOf(Key: string): Promise<Buffer> {
      const { Body } = await client.send(new s3.GetObjectCommand({ Bucket, Key }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },
    listed,
    versions,
    async empty(): Promise<void> {
      await removeAll(await versions())
      await client.send(new s3.DeleteBucketCommand({ Bucket }))
      client.destroy()
    },
  }
}
