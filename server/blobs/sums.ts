import type { RecyclingSource } from '../base/recycling-source.ts'
import type { Row } from '../db/schema.ts'
import { SEGMENT_BYTES, STORED_SEGMENT } from '../segments/layout.ts'
import { placeSums, type SegmentSums } from '../segments/sums.ts'

/** Bytes that a segment of a blob has in the storage. */
export const segmentOf = (isEncrypted: boolean): number => (isEncrypted ? STORED_SEGMENT : SEGMENT_BYTES)

/** Checksums of a blob's segments as the database has them: in its row, or in rows of their own. */
export interface SumColumns {
  sums: Uint8Array | null
  runs: Omit<Row<'blob_sums'>, 'blob_id'>[]
}

/** The checksums of what is stored of parts, one after the other; none if those of a part are not known. */
export function sumColumns(
  parts: readonly { size: number; sums: Uint8Array | null }[],
  isEncrypted: boolean,
): SumColumns {
  const placed = placeSums(parts, segmentOf(isEncrypted))
  return { sums: placed?.inBlob ?? null, runs: placed?.runs ?? [] }
}

/** The same bytes, whose checksums are computed as they pass; their memory is recycled as that of the source is. */
export function summed(source: RecyclingSource, sums: SegmentSums): RecyclingSource {
  const { recycle } = source
  return recycle ? Object.assign(passing(source, sums), { recycle }) : passing(source, sums)
}
async function* passing(source: AsyncIterable<Uint8Array>, sums: SegmentSums): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    sums.update(chunk)
    yield chunk
  }
}

/** Bytes of the MD5 before the checksums of a part. */
const MD5_BYTES = 16

/**
 * The checksums of a part as its row has them: after its MD5, because an earlier release that replaces the part would
 * leave them.
 */
export const packPartSums = (etag: string, sums: SegmentSums): Buffer =>
  Buffer.concat([Buffer.from(etag, 'hex'), sums.end()])

/** The inverse of `packPartSums`; null if there are none, or they are those of another content. */
export const partSums = ({ etag, sums }: { etag: string; sums: Uint8Array | null }): Uint8Array | null =>
  sums && Buffer.from(sums.subarray(0, MD5_BYTES)).toString('hex') === etag ? sums.subarray(MD5_BYTES) : null
