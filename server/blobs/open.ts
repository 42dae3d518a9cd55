import type { ByteRange } from '../base/byte-range.ts'
import { MOST_INLINE } from '../config/variables.ts'
import type { Ctx } from '../context.ts'
import { type BlobBody, type BlobDriver, BlobMissing } from '../drivers/driver.ts'
import * as store from './store.ts'

/** What the rows that point at a blob say about it. */
export interface BlobRef {
  blob_id: string
  /** Bytes. */
  size: number
}

/**
 * The bytes of a blob, or a range within them, from the database or the storage. Rejects with BlobMissing if they are not
 * there or not of that size.
 */
export async function openBlob(ctx: Pick<Ctx, 'db' | 'blobs'>, blob: BlobRef, range?: ByteRange): Promise<BlobBody> {
  const body = await bodyOf(ctx, blob)
  return body ? pieceOf(blob, body, range) : ctx.blobs.get(blob.blob_id, blob.size, range)
}

/** An inline blob's bytes, or a range within them. Throws BlobMissing unless it has as many as its row says. */
export function pieceOf({ blob_id, size }: BlobRef, body: Uint8Array, range?: ByteRange): Uint8Array {
  if (body.length !== size) throw new BlobMissing(blob_id)
  return range ? body.subarray(range.start, range.end + 1) : body
}

export type DirectUrlOptions = Parameters<BlobDriver['directUrl']>[1]
/** A URL of the storage for a blob's bytes, as the driver's `directUrl`; null also for an inline blob. */
export async function directUrl(
  ctx: Pick<Ctx, 'db' | 'blobs'>,
  blob: BlobRef,
  options: DirectUrlOptions,
): Promise<string | null> {
  const url = await ctx.blobs.directUrl(blob.blob_id, options)
  return url === null || (await bodyOf(ctx, blob)) ? null : url
}

/** Its bytes if it is inline. The limit may have been higher when it was written. */
const bodyOf = async ({ db }: Pick<Ctx, 'db'>, { blob_id, size }: BlobRef): Promise<Uint8Array | undefined> =>
  size <= MOST_INLINE ? store.findBody(db, blob_id) : undefined
