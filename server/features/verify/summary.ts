export interface Options {
  /** Reads every byte and compares its SHA-256, where one is known. */
  deep: boolean
  /** Corrects numbers, sets aside bytes that the database does not know, and brings back those it knows. */
  fix: boolean
  /** How many blobs are to go, said by someone who has looked: without it only a tenth of all may. */
  yesRemove: number | undefined
  /** Hears of each finding. */
  report(finding: string): void
}
export interface Summary {
  /** Blobs that something points at. */
  blobs: number
  bytes: number
  /** Of uploads in parts no checksum of the whole is known: only that all bytes are there. */
  withoutChecksum: number
  missing: number
  different: number
  /** Entries of the storage that cannot be looked at. */
  damaged: number
  orphans: number
  /** What the database knows and lies among what was set aside. */
  aside: number
  miscounted: number
  fixed: number
}
