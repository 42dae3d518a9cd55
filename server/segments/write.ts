import { type BlobKey, encrypt, nonceOf, stretchKey } from './cipher.ts'
import { SEGMENT_BYTES, type Stretch } from './layout.ts'

/** Of more chunks in a segment it takes less time to copy them together than to encrypt them one by one. */
const MOST_CHUNKS = 8

/**
 * The bytes of a stretch as they are stored: encrypted, each segment followed by its tag. Holds one segment, because
 * whether it is the last one must be known before it is encrypted. Chunks must not change once yielded.
 */
export async function* writeSegments(
  source: AsyncIterable<Uint8Array>,
  blob: BlobKey,
  stretch: Pick<Stretch, 'part' | 'salt'>,
): AsyncGenerator<Uint8Array> {
  const key = stretchKey(blob, stretch)
  let number = 0
  let held: Uint8Array[] = []
  let size = 0
  const take = (isLast: boolean) => {
    const chunks = held.length > MOST_CHUNKS ? [Buffer.concat(held, size)] : held
    held = []
    size = 0
    return encrypt(key, nonceOf(number++, isLast), chunks)
  }
  for await (const chunk of source) {
    let rest = chunk
    while (size + rest.length > SEGMENT_BYTES) {
      const room = SEGMENT_BYTES - size
      if (room > 0) held.push(rest.subarray(0, room))
      size = SEGMENT_BYTES
      rest = rest.subarray(room)
      yield* take(false)
    }
    if (rest.length === 0) continue
    held.push(rest)
    size += rest.length
  }
  yield* take(true)
}

/** The same of bytes of at most a segment. */
export function writeSegment(bytes: Uint8Array, blob: BlobKey, stretch: Pick<Stretch, 'part' | 'salt'>): Buffer {
  if (bytes.length > SEGMENT_BYTES) throw new RangeError('These bytes are more than a segment')
  return Buffer.concat(encrypt(stretchKey(blob, stretch), nonceOf(0, true), [bytes]))
}
