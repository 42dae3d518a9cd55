import type { Checksum } from '../../../contract/shapes.ts'
import type { ByteRange } from '../../base/byte-range.ts'
import { findPartAt } from '../../blobs/part-at.ts'
import { MOST_INLINE } from '../../config/variables.ts'
import type { Ctx } from '../../context.ts'
import type { ObjectRow } from '../objects/store.ts'
import { askedChecksum, plannedChecksum } from './checksum.ts'
import type { PartBody } from './parts.ts'

/**
 * Makes a range of an object a part without reading it: where its MD5, and the checksum that the upload wants, are known
 * because it is a whole part of the object or all of it, and the storage can link or copy it. Never for bytes that the
 * database may hold.
 */
export const shareOf =
  (ctx: Ctx, object: ObjectRow, range: ByteRange): Required<PartBody>['share'] =>
  async (upload, part) => {
    if (object.size <= MOST_INLINE) return null
    // Each part is encrypted for the upload that it is sent to.
    if (object.encryption !== null || upload.encryption !== null) return null
    const facts = await factsOf(ctx, object, range)
    const plan = plannedChecksum(upload)
    const checksum = plan ? facts?.checksums.get(plan.algorithm) : null
    // A checksum that nobody asked for is not worth reading the bytes.
    if (!facts || (checksum === undefined && askedChecksum(upload))) return null
    const from = { id: object.blob_id, size: object.size }
    const ref = await ctx.blobs.copyPart(upload.blob_id, upload.handle, part, from, range)
    return ref === null
      ? null
      : { ref, etag: facts.md5, checksum: checksum ?? null, brought: null, salt: null, sums: null }
  }

/** The MD5 and the checksums of a range, as far as they were computed when it was uploaded. */
async function factsOf(
  { db }: Ctx,
  { blob_id, size, etag, checksums: document }: ObjectRow,
  { start, end }: ByteRange,
): Promise<{ md5: string; checksums: Map<string, string> } | undefined> {
  const checksums: Checksum[] = document === null ? [] : JSON.parse(document)
  if (!etag.includes('-')) {
    const isWhole = start === 0 && end === size - 1
    return isWhole ? { md5: etag, checksums: new Map(checksums.map((one) => [one.algorithm, one.value])) } : undefined
  }
  const part = await findPartAt(db, blob_id, { start, size: end - start + 1 })
  const [algorithm] = checksums.map((one) => one.algorithm)
  if (!part) return undefined
  const known = algorithm === undefined || part.checksum === null ? [] : [[algorithm, part.checksum] as const]
  return { md5: part.md5, checksums: new Map(known) }
}
