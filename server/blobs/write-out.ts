import type { Ctx } from '../context.ts'
import { type Described as Description, type ExternalRef, UnexpectedAnswer } from '../drivers/external.ts'
import { BlobDamaged, chunksOf } from './copy.ts'
import { type Described, findHashes, newCutter } from './hashes.ts'
import { type BlobRef, openBlob } from './open.ts'

/**
 * Writes the bytes of a blob to an engine under a key, reads them again, and compares both with what is known of the blob;
 * returns what identifies what was written. `tick` is awaited after each chunk and may throw. Rejects with BlobMissing or
 * BlobDamaged because of the blob, otherwise because of a storage.
 */
export async function writeOut(
  ctx: Ctx,
  blob: Omit<Described, 'envelope'> & BlobRef,
  to: { storage: number; key: string; description: Omit<Description, 'size'> },
  tick: () => Promise<void> | undefined,
): Promise<ExternalRef> {
  const { size } = blob
  const hashes = await findHashes(ctx.db, blob)
  const original = newCutter(hashes)
  async function* measured() {
    for await (const chunk of chunksOf(await openBlob(ctx, blob))) {
      original.update(chunk)
      await tick()
      yield chunk
    }
  }
  const [writer, source] = await Promise.all([ctx.blobs.writer(to.storage), ctx.blobs.source(to.storage)])
  await writer.put(to.key, measured(), { ...to.description, size })
  if (!original.isAlike()) throw new BlobDamaged(`The bytes of blob ${blob.blob_id} do not match their ${hashes.name}`)
  const head = await source.head(to.key)
  if (!head || head.size !== size || head.etag === null)
    throw new UnexpectedAnswer('The storage did not keep what was written')
  const written = { ...head, modified_at: head.modified_at.toISOString() }
  const copy = newCutter({ algorithm: hashes.algorithm, pieces: original.end() })
  for await (const chunk of chunksOf(await source.get(written))) {
    copy.update(chunk)
    await tick()
  }
  if (!copy.isAlike()) throw new UnexpectedAnswer('The storage returns other bytes than were written')
  return written
}
