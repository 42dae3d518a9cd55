import type { KeyObject } from 'node:crypto'
import type { ByteRange } from '../base/byte-range.ts'
import { MOST_INLINE } from '../config/variables.ts'
import type { Ctx } from '../context.ts'
import { type BlobBody, type BlobDriver, BlobMissing } from '../drivers/driver.ts'
import { SegmentDamaged } from '../segments/cipher.ts'
import { SEGMENT_BYTES } from '../segments/layout.ts'
import { matchesSums } from '../segments/sums.ts'
import { findBody, type InlineBody } from './bodies/store.ts'
import { openEncrypted, type Sealed } from './encrypted.ts'

/** What the rows that point at a blob say about it. */
export interface BlobRef {
  blob_id: string
  /** Bytes. */
  size: number
  encryption: string | null
}

/** How encrypted bytes are opened. */
export interface OpenOptions {
  /** The key of the client, if it has to give one. */
  customerKey?: KeyObject | undefined
  /** What the blob's row says of them, if that was read already. */
  sealed?: Sealed | undefined
  /** The checksums that the row has of plain bytes, null if none, if that was read already. */
  sums?: Uint8Array | null | undefined
}

type Access = Pick<Ctx, 'db' | 'blobs' | 'config' | 'now'>

/**
 * The bytes of a blob, or a range within them, from the database or the storage, as they were written. Rejects with
 * BlobMissing if they are not there or not of that size, and with SegmentDamaged, which may also be an error of the stream, if
 * they are not those that were written; of encrypted ones see `openEncrypted`.
 */
export async function openBlob(
  ctx: Access,
  blob: BlobRef,
  range?: ByteRange,
  options: OpenOptions = {},
): Promise<BlobBody> {
  if (blob.encryption !== null) return openEncrypted(ctx, blob, { ...options, range })
  const body = await bodyOf(ctx, blob)
  return body
    ? pieceOf(blob, body, range)
    : ctx.blobs.get(blob.blob_id, blob.size, range, { segment: SEGMENT_BYTES, sums: options.sums })
}

/**
 * The bytes of an inline blob that is not encrypted, or a range within them. Throws BlobMissing unless it has as many as its
 * row says, and SegmentDamaged unless they have the checksum that is known.
 */
export function pieceOf(
  { blob_id, size }: Pick<BlobRef, 'blob_id' | 'size'>,
  { bytes, sums }: InlineBody,
  range?: ByteRange,
): Uint8Array {
  if (bytes.length !== size) throw new BlobMissing(blob_id)
  if (sums && !matchesSums(bytes, sums)) throw new SegmentDamaged(blob_id, { part: 0, number: 0 })
  return range ? bytes.subarray(range.start, range.end + 1) : bytes
}

export type DirectUrlOptions = Parameters<BlobDriver['directUrl']>[1]
/** A URL of the storage for a blob's bytes, as the driver's `directUrl`; null also for an inline and an encrypted blob. */
export async function directUrl(ctx: Access, blob: BlobRef, options: DirectUrlOptions): Promise<string | null> {
  if (blob.encryption !== null) return null
  const url = await ctx.blobs.directUrl(blob.blob_id, options)
  return url === null || (await bodyOf(ctx, blob)) ? null : url
}

/** What the database has of it if it is inline. The limit may have been higher when it was written. */
const bodyOf = async ({ db }: Access, { blob_id, size }: BlobRef): Promise<InlineBody | undefined> =>
  size <= MOST_INLINE ? findBody(db, blob_id) : undefined
