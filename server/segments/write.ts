import { free } from '../base/free.ts'
import type { RecyclingSource } from '../base/recycling-source.ts'
import { type BlobKey, encrypt, nonceOf, type StretchKey, stretchKey } from './cipher.ts'
import { SEGMENT_BYTES, STORED_SEGMENT, type Stretch } from './layout.ts'

/** Of more chunks in a segment it takes less time to copy them together than to encrypt them one by one. */
const MOST_CHUNKS = 8

/** Segments that are passed on as one chunk, if there are as many. */
const BLOCK = 4
/** Most blocks whose memory is kept for the next ones. */
const MOST_SPARE = 2

/**
 * The bytes of a stretch as they are stored: encrypted, each segment followed by its tag. Holds one segment, because
 * whether it is the last one must be known before it is encrypted, and up to four that are encrypted. Chunks must not change
 * once yielded. What is yielded can be recycled.
 */
export function writeSegments(
  source: AsyncIterable<Uint8Array>,
  blob: BlobKey,
  stretch: Pick<Stretch, 'part' | 'salt'>,
): RecyclingSource {
  const blocks = newBlocks()
  return Object.assign(encrypted(source, stretchKey(blob, stretch), blocks), { recycle: blocks.recycle })
}

/** The segments, several of which are copied together: their own memory is used again at once, while it is in the cache. */
async function* encrypted(
  source: AsyncIterable<Uint8Array>,
  key: StretchKey,
  blocks: ReturnType<typeof newBlocks>,
): AsyncGenerator<Uint8Array> {
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
      const block = blocks.add(take(false))
      if (block) yield block
    }
    if (rest.length === 0) continue
    held.push(rest)
    size += rest.length
  }
  // Of a stretch of one segment nothing is copied.
  if (number === 0) return yield* take(true)
  yield blocks.add(take(true)) ?? blocks.end()
  blocks.close()
}

/** Copies segments into blocks. */
function newBlocks() {
  const spare: Uint8Array[] = []
  const passedOn = new WeakSet<ArrayBufferLike>()
  let block: Uint8Array | undefined
  let used = 0
  let most = MOST_SPARE
  const end = (): Uint8Array => {
    const full = block?.subarray(0, used) ?? new Uint8Array()
    passedOn.add(full.buffer)
    block = undefined
    used = 0
    return full
  }
  return {
    /** Copies the pieces of a segment, and frees them; returns the block once it is full. */
    add(pieces: readonly Uint8Array[]): Uint8Array | undefined {
      block ??= spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK * STORED_SEGMENT)
      for (const piece of pieces) {
        block.set(piece, used)
        used += piece.length
        free(piece)
      }
      return used === block.length ? end() : undefined
    },
    /** The block, as far as it is filled. */
    end,
    recycle({ buffer }: Uint8Array): void {
      if (!passedOn.delete(buffer)) return
      const bytes = new Uint8Array(buffer)
      if (spare.length < most) spare.push(bytes)
      else free(bytes)
    },
    /** Frees what is kept for further blocks, and what is recycled from now on. */
    close(): void {
      most = 0
      for (const one of spare.splice(0)) free(one)
    },
  }
}

/** The same of bytes of at most a segment. */
export function writeSegment(bytes: Uint8Array, blob: BlobKey, stretch: Pick<Stretch, 'part' | 'salt'>): Buffer {
  if (bytes.length > SEGMENT_BYTES) throw new RangeError('These bytes are more than a segment')
  return Buffer.concat(encrypt(stretchKey(blob, stretch), nonceOf(0, true), [bytes]))
}
