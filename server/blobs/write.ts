import { createHash } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { removeNow } from './collector.ts'
import { takeBlobId } from './id-pool.ts'
import * as store from './store.ts'

/** Durably stored bytes that no object points at yet. */
export interface WrittenBlob {
  id: string
  size: number
  /** Hex. */
  md5: string
  /** Hex. */
  sha256: string
}

/** The blobs of one request: none is collected while bytes of any of them are still arriving. */
export interface Claim {
  ids: string[]
  /** When their rows were last renewed, in ms; a row may be a third of the grace period older. */
  renewed: number
}
export const newClaim = (ctx: Ctx): Claim => ({ ids: [], renewed: ctx.now().getTime() })

/**
 * Stores a stream as a new blob of a claim. Its row comes first, so that the collector finds whatever a crash leaves;
 * the claim's rows are renewed while bytes arrive. `inspect` is called with the byte count before each chunk is stored,
 * and may throw, or return a promise that rejects, to refuse it. `announced` is the source's declared size. Leaves
 * nothing behind when it rejects.
 */
export async function writeBlob(
  ctx: Ctx,
  claim: Claim,
  source: AsyncIterable<Uint8Array>,
  { inspect, announced }: { inspect: (size: number) => Promise<void> | undefined; announced?: number | undefined },
): Promise<WrittenBlob> {
  const grace = ctx.config.blobGraceSeconds * 1000
  const id = await takeBlobId(ctx)
  claim.ids.push(id)
  const md5 = createHash('md5')
  const sha256 = createHash('sha256')
  let size = 0
  async function* measured() {
    for await (const chunk of source) {
      size += chunk.length
      const waits = inspect(size)
      if (waits) await waits
      md5.update(chunk)
      sha256.update(chunk)
      const now = ctx.now().getTime()
      if (now - claim.renewed > grace / 3) {
        claim.renewed = now
        await ctx.upkeep(({ tx }) => store.setCheckAfter(tx, claim.ids, new Date(now + grace)))
      }
      yield chunk
    }
  }
  try {
    await ctx.blobs.put(id, measured(), announced)
  } catch (error) {
    await discardBlobs(ctx, [id])
    throw error
  }
  return { id, size, md5: md5.digest('hex'), sha256: sha256.digest('hex') }
}

/** Deletes blobs that nothing points at. A failure is only logged: the collector will find them. */
export async function discardBlobs(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  try {
    await removeNow(ctx, ids)
  } catch (error) {
    ctx.log.warn({ err: error, blobs: ids }, 'could not remove leftovers of an upload; the collector will')
  }
}
