/** Inclusive byte positions, as in RFC 9110 section 14. */
export interface ByteRange {
  start: number
  end: number
}

/** Bytes of these ranges together. */
export const sizeOfRanges = (ranges: readonly ByteRange[]): number =>
  ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0)
