/** Inclusive byte positions, as in RFC 9110 section 14. */
export interface ByteRange {
  start: number
  end: number
}
