import * as s3 from '@aws-sdk/client-s3'
import type { ByteRange } from '../../base/byte-range.ts'
import { type BlobDriver, isBlobId, type StoredBlob } from '../driver.ts'
import { ask } from './client.ts'
import { copySource, partSizes, type s3Uploads } from './uploads.ts'

interface Storage {
  client: s3.S3Client
  Bucket: string
  prefix: string
  uploads: ReturnType<typeof s3Uploads>
  /** Throws if the id is not a blob id. */
  keyOf(id: string): string
  sizeOf(Key: string): Promise<number | undefined>
  removeObject(Key: string): Promise<unknown>
  /** Most bytes that the engine copies in one call. */
  most: number
}

/**
 * Blobs set aside are copied by the engine to `<prefix>orphans/<id>` and then deleted at their place, since S3 cannot
 * rename. The copy's own time says since when. A crash in between leaves both, and repeating it has the same result.
 */
export function s3Orphans(storage: Storage): Pick<BlobDriver, 'setAside' | 'bringBack' | 'listAside' | 'removeAside'> {
  const { client, Bucket, prefix, uploads, keyOf, sizeOf, removeObject, most } = storage
  const folder = `${prefix}orphans/`
  const asideKey = (id: string): string => {
    keyOf(id)
    return folder + id
  }

  async function copy(from: string, Key: string, size: number): Promise<void> {
    if (size <= most) {
      const CopySource = copySource(Bucket, from)
      await ask('CopyObject', client.send(new s3.CopyObjectCommand({ Bucket, Key, CopySource })))
      return
    }
    await uploads.abortAll(Key)
    const ranges: ByteRange[] = []
    for (const length of partSizes(size, most)) {
      const start = (ranges.at(-1)?.end ?? -1) + 1
      ranges.push({ start, end: start + length - 1 })
    }
    await uploads.copyRanges(from, Key, ranges, async () => {})
  }

  async function move(from: string, to: string): Promise<void> {
    const size = await sizeOf(from)
    if (size === undefined) return
    await copy(from, to, size)
    // Some engines answer 200 and report a failure in the body, so nothing is deleted before its copy has been seen.
    if ((await sizeOf(to)) !== size) throw new Error('The S3 engine made a copy of a different size')
    await removeObject(from)
  }

  return {
    setAside: async (id) => move(keyOf(id), asideKey(id)),
    async bringBack(id) {
      if ((await sizeOf(keyOf(id))) === undefined) await move(asideKey(id), keyOf(id))
    },
    async *listAside(): AsyncGenerator<StoredBlob> {
      let ContinuationToken: string | undefined
      do {
        const command = { Bucket, Prefix: folder, ...(ContinuationToken && { ContinuationToken }) }
        const page: s3.ListObjectsV2CommandOutput = await ask(
          'ListObjectsV2',
          client.send(new s3.ListObjectsV2Command(command)),
        )
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
          const id = Key.slice(folder.length)
          // Without a time it counts as new.
          if (isBlobId(id)) yield { id, size: Size, modified_at: LastModified ?? new Date() }
        }
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken)
    },
    async removeAside(id) {
      const key = asideKey(id)
      await Promise.all([removeObject(key), uploads.abortAll(key)])
    },
  }
}
