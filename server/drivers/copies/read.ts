import type { ByteRange } from '../../base/byte-range.ts'
import { crc32 } from '../../base/crc32.ts'
import type { BlobBody } from '../driver.ts'
import { segmentAt } from './expected.ts'
import { damaged, inTime, planOf, type Reading, worstOf } from './reading.ts'
import { VerifiedStream } from './stream.ts'

/**
 * The bytes of a blob as they are stored, or a range of them. No byte of a segment is passed on before its checksum was
 * compared, if there is one. A copy that is missing, damaged, unreachable or too slow is left for the next one, at the
 * segment that was reached. Rejects, or ends the stream, with what is wrong with the first if none is whole.
 */
export async function readVerified(reading: Reading, range: ByteRange | undefined): Promise<BlobBody> {
  const { size, copies, sums } = reading
  const wanted = range ?? { start: 0, end: size - 1 }
  const first = size === 0 ? undefined : await sums.find(wanted.start)
  const [only, ...others] = copies
  if (!first && only && others.length === 0) return only.get(range)
  const plan = await planOf(reading, wanted)
  const failures: unknown[] = []
  for (const [index, copy] of copies.entries()) {
    try {
      const body = await inTime(reading, copy.get(size === 0 ? range : plan))
      if (!(body instanceof Uint8Array)) return new VerifiedStream(reading, wanted, { index, body, plan, failures })
      return verifyBytes(reading, body, plan.start).subarray(
        wanted.start - plan.start,
        Math.max(0, wanted.end + 1 - plan.start),
      )
    } catch (error) {
      failures.push(error)
      if (others.length > 0) reading.onFailure(copy, error)
    }
  }
  throw worstOf(failures)
}

/** Throws SegmentDamaged unless bytes that begin with a segment at `from` are what their checksums say. */
function verifyBytes({ id, sums }: Reading, bytes: Uint8Array, from: number): Uint8Array {
  for (let at = from; at < from + bytes.length; ) {
    const run = sums.known(at)
    if (!run) break
    const { end, sum } = segmentAt(run, sums.segment, at)
    if (crc32(bytes.subarray(at - from, end - from)) !== sum) throw damaged(id, at, sums.segment)
    at = end
  }
  return bytes
}
