// A checksum of each segment of what is stored, so that a read can be verified where no tag does it. They are kept in the
// database, apart from the bytes. Decision 78.
import { crc32 } from '../base/crc32.ts'

/** Bytes of one checksum: a CRC-32, big-endian. */
export const SUM_BYTES = 4
/** Checksums that one row of `blob_sums` has at most: those of 64 MiB. */
export const MOST_IN_RUN = 1024
/** Checksums that the row of a blob has itself, so that reading it takes no further statement: those of 4 MiB. */
export const MOST_IN_BLOB = 64

/** Consecutive segments of stored bytes, numbered from their beginning. */
export interface SumRun {
  /** Where they begin in the storage. */
  start: number
  /** Bytes. */
  size: number
  sums: Uint8Array
}

/** Computes the checksums of the segments of a stream of stored bytes. */
export class SegmentSums {
  readonly #segment: number
  #sums = Buffer.allocUnsafe(16 * SUM_BYTES)
  #count = 0
  #crc = 0
  #filled = 0

  /** `segment`: bytes that a segment has in the storage. */
  constructor(segment: number) {
    this.#segment = segment
  }

  update(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + this.#segment - this.#filled)
      this.#crc = crc32(piece, this.#crc)
      this.#filled += piece.length
      at += piece.length
      if (this.#filled === this.#segment) this.#next()
    }
  }

  #next(): void {
    if ((this.#count + 1) * SUM_BYTES > this.#sums.length) {
      const larger = Buffer.allocUnsafe(this.#sums.length * 2)
      larger.set(this.#sums)
      this.#sums = larger
    }
    this.#sums.writeUInt32BE(this.#crc, this.#count * SUM_BYTES)
    this.#count++
    this.#crc = 0
    this.#filled = 0
  }

  /** The checksums, in order; none of no bytes. */
  end(): Uint8Array {
    if (this.#filled > 0) this.#next()
    return this.#sums.subarray(0, this.#count * SUM_BYTES)
  }
}

/** The checksums of bytes that are one segment at most; none of no bytes. */
export function sumsOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return new Uint8Array()
  const sums = Buffer.allocUnsafe(SUM_BYTES)
  sums.writeUInt32BE(crc32(bytes))
  return sums
}

/** Whether bytes that are one segment at most are those that have these checksums. */
export const matchesSums = (bytes: Uint8Array, sums: Uint8Array): boolean => Buffer.compare(sumsOf(bytes), sums) === 0

/** Where the checksums of a blob go: into its row, or into rows of their own. */
export interface PlacedSums {
  inBlob: Uint8Array | null
  runs: SumRun[]
}

/** Consecutive parts of what is stored, each with its checksums. Null where one has none. */
export function placeSums(
  parts: readonly { size: number; sums: Uint8Array | null }[],
  segment: number,
): PlacedSums | null {
  const runs: SumRun[] = []
  let at = 0
  let open: { start: number; size: number; sums: Uint8Array[]; count: number } | undefined
  const close = () => {
    if (open) runs.push({ start: open.start, size: open.size, sums: Buffer.concat(open.sums) })
    open = undefined
  }
  for (const { size, sums } of parts) {
    if (sums === null || sums.length !== Math.ceil(size / segment) * SUM_BYTES) return null
    for (let from = 0; from < sums.length; ) {
      // What follows a segment that is not whole begins a run of its own.
      if (open && (open.size % segment !== 0 || open.count === MOST_IN_RUN)) close()
      open ??= { start: at, size: 0, sums: [], count: 0 }
      const some = sums.subarray(from, from + (MOST_IN_RUN - open.count) * SUM_BYTES)
      const count = some.length / SUM_BYTES
      const bytes = Math.min(count * segment, size - (from / SUM_BYTES) * segment)
      open.sums.push(some)
      open.count += count
      open.size += bytes
      at += bytes
      from += some.length
    }
  }
  close()
  const [only] = runs
  if (runs.length === 0) return { inBlob: Buffer.alloc(0), runs: [] }
  return only && runs.length === 1 && only.sums.length <= MOST_IN_BLOB * SUM_BYTES
    ? { inBlob: only.sums, runs: [] }
    : { inBlob: null, runs }
}
