export interface Options {
  /** Reads every byte and compares its SHA-256, if known. */
  deep: boolean
  /** Corrects counters, sets aside bytes that the database does not know, and brings back those it knows. */
  fix: boolean
  /** How many blobs will be removed, confirmed by someone who has checked: without it at most a tenth of all. */
  yesRemove: number | undefined
  /** Called with each finding. */
  report(finding: string): void
}
export interface Summary {
  /** Blobs that something points at. */
  blobs: number
  bytes: number
  /**
   * Verified only by size: all of them, unless it is deep, and then what an earlier version joined from parts, and what is
   * encrypted with the key of a client.
   */
  withoutChecksum: number
  /** Stored with fewer bytes than they have. */
  truncated: number
  /** Stored with more bytes than they have; readers get the right ones. */
  overlong: number
  missing: number
  different: number
  /** Encrypted with a key that cannot be had: they cannot be read any more. */
  sealed: number
  /** Entries of the storage that cannot be read. */
  damaged: number
  orphans: number
  /** Blobs that were set aside although the database knows them. */
  aside: number
  miscounted: number
  fixed: number
}
