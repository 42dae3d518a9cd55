// Where the bytes of a blob are that is stored in segments. Sizes only: whether what follows a segment is a tag or a
// checksum makes no difference here.
import type { ByteRange } from '../base/byte-range.ts'

/** Bytes of a segment, but for the last one of a stretch, which may have fewer. */
export const SEGMENT_BYTES = 64 * 1024
/** Bytes that are stored after each segment: its authentication tag. */
export const TRAILER_BYTES = 16
/** Bytes that a segment takes in the storage. */
export const STORED_SEGMENT = SEGMENT_BYTES + TRAILER_BYTES

/** Bytes that were written at once, and are divided into segments of their own: a blob, or a part of one. */
export interface Stretch {
  /** The part's number; 0 if it is the whole blob. */
  part: number
  /** Bytes, before they were divided. */
  size: number
  /** Distinguishes what was sent for the same part more than once; empty if it is the whole blob. */
  salt: Uint8Array
}

const NO_SALT = new Uint8Array()
/** The only stretch of a blob that was written at once. */
export const wholeOf = (size: number): Stretch => ({ part: 0, size, salt: NO_SALT })

/** How many segments a stretch has: one also if it is empty, so that its end is authenticated. */
const countSegments = (size: number): number => Math.max(1, Math.ceil(size / SEGMENT_BYTES))

const sizeOfSegment = ({ size }: Stretch, number: number): number =>
  Math.min(SEGMENT_BYTES, size - number * SEGMENT_BYTES)

/** Bytes that a stretch of `size` bytes takes in the storage. */
export const storedSize = (size: number): number => size + countSegments(size) * TRAILER_BYTES

/** How many bytes were written that take `stored` bytes in the storage: the inverse of `storedSize`. */
export const writtenSize = (stored: number): number => stored - Math.ceil(stored / STORED_SEGMENT) * TRAILER_BYTES

/** Bytes that stretches take in the storage together. */
export const storedSizeOf = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { size }) => sum + storedSize(size), 0)

/** A segment to read. */
export interface Segment {
  stretch: Stretch
  /** From 0, within its stretch. */
  number: number
  isLast: boolean
  /** Bytes, without the trailer. */
  size: number
}

/** What has to be read of a storage for a range of a blob. */
export interface ReadPlan {
  /** Where the segments are that the range touches. */
  stored: ByteRange
  /** Bytes of the first of these segments that are before the range. */
  skip: number
  /** Bytes of the range. */
  length: number
  /** The segment, if it is only one. */
  only?: Segment
  /** The segments, in the order in which they are stored. */
  segments(): Generator<Segment>
}

/** The segments that hold a range of a blob, or all of it. Throws RangeError if the range is outside. */
export function planRead(stretches: readonly Stretch[], range?: ByteRange): ReadPlan {
  const size = stretches.reduce((sum, stretch) => sum + stretch.size, 0)
  if (range && (range.start < 0 || range.end < range.start || range.end >= size))
    throw new RangeError('The range is outside the blob')
  const [whole] = stretches
  if (whole && stretches.length === 1 && size <= SEGMENT_BYTES) return planOfOne(whole, range)
  const first = range ? placeOf(stretches, range.start) : { index: 0, number: 0, skip: 0, stored: 0 }
  const end = range ? endOf(stretches, range.end) : storedSizeOf(stretches)
  return {
    stored: { start: first.stored, end: end - 1 },
    skip: first.skip,
    length: range ? range.end - range.start + 1 : size,
    segments: () => segmentsBetween(stretches, first, end),
  }
}

/** The same of a blob that is one segment. */
function planOfOne(stretch: Stretch, range: ByteRange | undefined): ReadPlan {
  const { size } = stretch
  const only = { stretch, number: 0, isLast: true, size }
  return {
    stored: { start: 0, end: size + TRAILER_BYTES - 1 },
    skip: range?.start ?? 0,
    length: range ? range.end - range.start + 1 : size,
    only,
    *segments() {
      yield only
    },
  }
}

interface Place {
  /** Of the stretch. */
  index: number
  /** Of the segment in it. */
  number: number
  /** Bytes of the segment before the place. */
  skip: number
  /** Where the segment begins in the storage. */
  stored: number
}

/** Where a byte of a blob is. */
function placeOf(stretches: readonly Stretch[], at: number): Place {
  let before = 0
  let stored = 0
  for (const [index, { size }] of stretches.entries()) {
    const within = at - before
    if (within < size) {
      const number = Math.floor(within / SEGMENT_BYTES)
      return { index, number, skip: within % SEGMENT_BYTES, stored: stored + number * STORED_SEGMENT }
    }
    before += size
    stored += storedSize(size)
  }
  throw new RangeError('The range is outside the blob')
}

/** Where the segment ends in the storage that holds a byte of a blob. */
function endOf(stretches: readonly Stretch[], at: number): number {
  const { index, number, stored } = placeOf(stretches, at)
  return stored + sizeOfSegment(stretches[index] as Stretch, number) + TRAILER_BYTES
}

function* segmentsBetween(stretches: readonly Stretch[], from: Place, end: number): Generator<Segment> {
  let { number, stored } = from
  for (let index = from.index; index < stretches.length && stored < end; index++, number = 0) {
    const stretch = stretches[index] as Stretch
    const count = countSegments(stretch.size)
    for (; number < count && stored < end; number++) {
      const size = sizeOfSegment(stretch, number)
      yield { stretch, number, isLast: number === count - 1, size }
      stored += size + TRAILER_BYTES
    }
  }
}
