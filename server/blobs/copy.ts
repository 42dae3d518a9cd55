import { hash } from 'node:crypto'
import type { Ctx, Upkeep } from '../context.ts'
import type { StorageId } from '../drivers/blobs.ts'
import { BlobMissing } from '../drivers/driver.ts'
import { isExternal } from '../drivers/routing/ids.ts'
import { type Described, findHashes, newCutter } from './hashes.ts'
import { takeBlobId } from './id-pool.ts'
import { takeRoom } from './room.ts'
import * as store from './store.ts'
import { type Claim, discardBlobs, renewIfDue } from './write.ts'

/** The bytes of a blob are not those that its rows describe. */
export class BlobDamaged extends Error {}

/** Whether a blob could not be copied because of itself, so that others may still be. */
export const isBlobFault = (error: unknown): error is BlobMissing | BlobDamaged =>
  error instanceof BlobMissing || error instanceof BlobDamaged

/** Which of these blobs have their bytes on another storage, with what is known of them. */
export const findElsewhere = (
  db: Ctx['db'],
  ids: readonly string[],
  storage: StorageId,
): Promise<{ id: string; md5: string | null }[]> => store.findElsewhere(db, ids, storage)

/**
 * Copies the bytes of a blob to the storage of a claim, reads the copy again, and compares both with what is known of the
 * blob; returns the new blob's id. `tick` is awaited after each chunk and may throw. Leaves nothing behind when it rejects:
 * with BlobMissing or BlobDamaged because of the blob, otherwise because of a storage.
 */
export async function copyBlob(
  ctx: Ctx,
  claim: Claim,
  blob: Described,
  tick: () => Promise<void> | undefined = () => undefined,
): Promise<string> {
  const { blob_id, size } = blob
  await takeRoom(ctx.config, claim.storage, size, { ahead: true })
  const hashes = await findHashes(ctx.db, blob)
  const id = await takeBlobId(ctx, claim.storage)
  claim.ids.push(id)
  const original = newCutter(hashes)
  async function* measured() {
    for await (const chunk of chunksOf(await ctx.blobs.get(blob_id, size))) {
      original.update(chunk)
      await takeRoom(ctx.config, claim.storage, chunk.length)
      await renewIfDue(ctx, claim)
      await tick()
      yield chunk
    }
  }
  try {
    await ctx.blobs.put(id, measured(), size)
    if (!original.isAlike()) throw new BlobDamaged(`The bytes of blob ${blob_id} do not match their ${hashes.name}`)
    const copy = newCutter({ algorithm: hashes.algorithm, pieces: original.end() })
    const readAgain = async () => {
      for await (const chunk of chunksOf(await ctx.blobs.get(id, size))) {
        copy.update(chunk)
        await renewIfDue(ctx, claim)
        await tick()
      }
    }
    await readAgain().catch((cause: unknown) => {
      // Not a fault of the original.
      throw cause instanceof BlobMissing ? new Error(`The storage did not keep blob ${id}`, { cause }) : cause
    })
    if (!copy.isAlike()) throw new Error(`The storage returned other bytes of blob ${id} than it was given`)
    if (isExternal(blob_id)) {
      const [whole] = original.end()
      const md5 = whole?.hash ?? hash('md5', '')
      await ctx.upkeep(({ tx }) => store.noteFacts(tx, id, { size, md5, sha256: null, checksums: null }))
    }
    return id
  } catch (error) {
    await discardBlobs(ctx, [{ id, body: null }])
    throw error
  }
}

/** A blob's body in chunks. */
export const chunksOf = (
  body: Uint8Array | AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> | Iterable<Uint8Array> => (body instanceof Uint8Array ? [body] : body)

/** Step: notes of copies what is known of their originals. What points at them follows in the same step. */
export const keepCopies = async ({ tx }: Upkeep, copies: ReadonlyMap<string, string>): Promise<void> => {
  // What is known of others' bytes was noted when they were copied.
  for (const [from, to] of copies) if (!isExternal(from)) await store.copyFacts(tx, from, to)
}
