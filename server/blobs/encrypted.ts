import type { KeyObject } from 'node:crypto'
import type { ByteRange } from '../base/byte-range.ts'
import type { Ctx } from '../context.ts'
import { type BlobBody, BlobMissing } from '../drivers/driver.ts'
import { readEnvelope, stretchesOf } from '../encryption/envelope.ts'
import { assertCustomerKey, openRow } from '../encryption/sealing.ts'
import { KeyUnavailable } from '../segments/cipher.ts'
import { planRead, STORED_SEGMENT, storedSizeOf } from '../segments/layout.ts'
import { readSegments, streamSegments } from '../segments/read.ts'
import { findSealed } from './bodies/store.ts'

/** What the row of an encrypted blob says, and its bytes as they are stored, if they are in the database. */
export interface Sealed {
  /** JSON; null if there is none any more. */
  envelope: string | null
  bytes: Uint8Array | null
  /** The checksums that its row has of what is stored, null if none; undefined if that was not read. */
  sums?: Uint8Array | null | undefined
}

/** Bytes that a blob takes where it is stored. */
export const storedSizeOfBlob = ({ size, envelope }: { size: number; envelope: string | null }): number =>
  envelope === null ? size : storedSizeOf(stretchesOf(readEnvelope(envelope), size))

interface Opening {
  range?: ByteRange | undefined
  /** The client's, if it is encrypted with one. */
  customerKey?: KeyObject | undefined
  /** What its row says, if that was read already. */
  sealed?: Sealed | undefined
}

/**
 * The bytes of an encrypted blob, or a range within them: only the segments that it touches are read. Rejects as `openBlob`
 * does, with KeyUnavailable, or with SegmentDamaged, which may also be an error of the stream.
 */
export async function openEncrypted(
  ctx: Pick<Ctx, 'db' | 'blobs' | 'config' | 'now'>,
  { blob_id, size }: { blob_id: string; size: number },
  { range, customerKey, sealed }: Opening,
): Promise<BlobBody> {
  const { envelope: text, bytes, sums } = sealed ?? (await findSealed(ctx.db, blob_id)) ?? gone
  if (text === null) throw new KeyUnavailable(`The key of blob ${blob_id} is gone`)
  const { envelope, key } = await openRow(ctx, text, { id: blob_id, customerKey })
  const stretches = stretchesOf(envelope, size)
  const plan = planRead(stretches, range)
  const total = storedSizeOf(stretches)
  if (bytes && bytes.length !== total) throw new BlobMissing(blob_id)
  const { start, end } = plan.stored
  const body =
    bytes?.subarray(start, end + 1) ??
    (await ctx.blobs.get(blob_id, total, range && plan.stored, { segment: STORED_SEGMENT, sums }))
  return body instanceof Uint8Array ? readSegments(body, key, plan) : streamSegments(body, key, plan)
}
const gone: Sealed = { envelope: null, bytes: null }

/** Throws unless the client's key is given exactly if a blob is encrypted with one, and is that one. */
export async function assertOpens(
  ctx: Pick<Ctx, 'db' | 'config' | 'now'>,
  {
    blob_id,
    encryption,
    envelope,
  }: { blob_id: string; encryption: string | null; envelope: string | null | undefined },
  customerKey: KeyObject | undefined,
): Promise<void> {
  assertCustomerKey(encryption, customerKey)
  if (encryption === null) return
  const text = envelope ?? (await findSealed(ctx.db, blob_id))?.envelope ?? null
  if (text === null) throw new KeyUnavailable(`The key of blob ${blob_id} is gone`)
  await openRow(ctx, text, { id: blob_id, customerKey })
}
