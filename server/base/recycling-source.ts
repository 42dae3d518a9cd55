/** Bytes whose memory can be used again. */
export interface RecyclingSource extends AsyncIterable<Uint8Array> {
  /**
   * Hands the memory of a chunk back, which nothing may read afterwards. Optional, as is calling it; ignores what is not a
   * chunk of this source, or was recycled before.
   */
  recycle?(chunk: Uint8Array): void
}
