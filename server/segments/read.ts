import { Readable } from 'node:stream'
import { free } from '../base/free.ts'
import { type BlobKey, decrypt, nonceOf, SegmentDamaged, type StretchKey, stretchKey } from './cipher.ts'
import { type ReadPlan, type Segment, type Stretch, TRAILER_BYTES } from './layout.ts'

/**
 * Turns what is stored back into what was written, segment by segment: no byte of one is returned before all of it has
 * been authenticated.
 */
export class SegmentReader {
  readonly #blob: BlobKey
  readonly #segments: Generator<Segment>
  #segment: Segment | undefined
  #stretch: Stretch | undefined
  #key: StretchKey | undefined
  /** Chunks of the current segment, and how many bytes of it are still to come. */
  #chunks: Uint8Array[] = []
  #missing = 0
  #skip: number
  #left: number

  constructor(blob: BlobKey, plan: ReadPlan) {
    this.#blob = blob
    this.#segments = plan.segments()
    this.#skip = plan.skip
    this.#left = plan.length
    this.#next()
  }

  #next(): void {
    this.#segment = this.#segments.next().value ?? undefined
    this.#missing = this.#segment ? this.#segment.size + TRAILER_BYTES : 0
    this.#chunks = []
    if (!this.#segment || this.#segment.stretch === this.#stretch) return
    this.#stretch = this.#segment.stretch
    this.#key = stretchKey(this.#blob, this.#stretch)
  }

  /**
   * Takes the next bytes that are stored; returns what is complete by them. `inPlace`: the memory of the chunk may be written
   * to, and is kept only as the last of the returned pieces. Throws SegmentDamaged.
   */
  take(chunk: Uint8Array, { inPlace = false } = {}): Uint8Array[] {
    const read: Uint8Array[] = []
    /** Bytes at the start of the chunk that are no longer what is stored. */
    let written = 0
    for (let at = 0; at < chunk.length && this.#segment; ) {
      const piece = chunk.subarray(at, at + this.#missing)
      const isWhole = this.#chunks.length === 0 && piece.length === this.#missing
      this.#missing -= piece.length
      at += piece.length
      this.#chunks.push(inPlace && this.#missing > 0 ? Buffer.from(piece) : piece)
      if (this.#missing > 0) break
      for (const part of this.#open(this.#segment)) {
        const wanted = part.subarray(this.#skip, this.#skip + this.#left)
        this.#skip -= Math.min(this.#skip, part.length)
        this.#left -= wanted.length
        if (inPlace && isWhole) {
          chunk.set(wanted, written)
          written += wanted.length
          free(part)
        } else if (wanted.length > 0) read.push(wanted)
      }
      this.#next()
    }
    if (written > 0) read.push(chunk.subarray(0, written))
    return read
  }

  #open({ number, isLast, stretch }: Segment): readonly Uint8Array[] {
    try {
      return decrypt(this.#key as StretchKey, nonceOf(number, isLast), cutTag(this.#chunks))
    } catch (error) {
      throw new SegmentDamaged(this.#blob.id, { part: stretch.part, number }, error)
    }
  }

  /** Throws SegmentDamaged unless all of the range was returned. */
  end(): void {
    if (!this.#segment) return
    const { stretch, number } = this.#segment
    throw new SegmentDamaged(this.#blob.id, { part: stretch.part, number }, new Error('It ends too early'))
  }
}

/** The tag at the end of chunks, which may be in two of them. */
function cutTag(chunks: readonly Uint8Array[]): { chunks: readonly Uint8Array[]; tag: Uint8Array } {
  const last = chunks.at(-1)
  if (last && last.length >= TRAILER_BYTES) {
    const body = last.subarray(0, -TRAILER_BYTES)
    return {
      chunks: body.length > 0 ? [...chunks.slice(0, -1), body] : chunks.slice(0, -1),
      tag: last.subarray(-TRAILER_BYTES),
    }
  }
  const all = Buffer.concat(chunks)
  return { chunks: [all.subarray(0, -TRAILER_BYTES)], tag: all.subarray(-TRAILER_BYTES) }
}

/** The bytes of a range, from all that is stored of its segments. Throws SegmentDamaged. */
export function readSegments(stored: Uint8Array, blob: BlobKey, plan: ReadPlan): Uint8Array {
  if (plan.only) return readOnly(stored, blob, plan.only).subarray(plan.skip, plan.skip + plan.length)
  const reader = new SegmentReader(blob, plan)
  const read = reader.take(stored)
  reader.end()
  const [first, ...more] = read
  return first && more.length === 0 ? first : Buffer.concat(read)
}

/** The bytes of the only segment of a blob. */
function readOnly(stored: Uint8Array, blob: BlobKey, { stretch, number }: Segment): Uint8Array {
  const { part, size } = stretch
  try {
    if (stored.length !== size + TRAILER_BYTES) throw new Error('It has another length')
    const parts = { chunks: [stored.subarray(0, size)], tag: stored.subarray(size) }
    const [read] = decrypt(stretchKey(blob, stretch), nonceOf(number, true), parts)
    return read as Uint8Array
  } catch (error) {
    throw new SegmentDamaged(blob.id, { part, number }, error)
  }
}

/** A stream whose chunks may be memory that can be used again; see `RecyclingStream` of the drivers. */
type Stored = Readable & { recycle?: (chunk: Uint8Array) => void }

/**
 * The same of a stream; its errors are those of what is stored, and SegmentDamaged. What is stored is read as its events
 * tell of it: iterating over it would cost a promise for each chunk. Where the memory of what is stored can be recycled, the
 * segments are decrypted in place: a new buffer for each of them would keep the garbage collector busy.
 */
export function streamSegments(stored: Stored, blob: BlobKey, plan: ReadPlan): Stored {
  const reader = new SegmentReader(blob, plan)
  const inPlace = stored.recycle !== undefined
  /** Memory that is nobody else's, of chunks that were passed on. */
  const own = new WeakSet<ArrayBufferLike>()
  const read = new Readable({
    highWaterMark: 256 * 1024,
    read: () => void stored.resume(),
    destroy(error, finish) {
      stored.destroy()
      finish(error)
    },
  })
  /** Ends the stream with what went wrong in `work`. */
  const attempt = (work: () => void) => {
    try {
      work()
    } catch (error) {
      read.destroy(error as Error)
    }
  }
  stored.pause()
  stored.on('data', (chunk: Uint8Array) =>
    attempt(() => {
      let goesOn = true
      const pieces = reader.take(chunk, { inPlace })
      for (const piece of pieces) {
        if (piece.buffer !== chunk.buffer) own.add(piece.buffer)
        goesOn = read.push(piece)
      }
      if (!goesOn) stored.pause()
      if (pieces.at(-1)?.buffer !== chunk.buffer) stored.recycle?.(chunk)
    }),
  )
  stored.once('end', () =>
    attempt(() => {
      reader.end()
      read.push(null)
    }),
  )
  stored.once('error', (error) => read.destroy(error))
  stored.once('close', () => {
    if (!stored.readableEnded) read.destroy(new Error('What is stored was not read to its end'))
  })
  return Object.assign(read, {
    recycle(chunk: Uint8Array) {
      if (own.delete(chunk.buffer)) free(chunk)
      else stored.recycle?.(chunk)
    },
  })
}
