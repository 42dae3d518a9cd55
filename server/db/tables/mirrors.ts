import type { Generated } from 'kysely'

/**
 * How stored bytes are verified, and where they are twice. A *place* is that of a storage, by its id: 0 is that of STORAGE_URL.
 */
export interface MirrorTables {
  /** The CRC-32 of segments of a blob, if its row does not have them: of consecutive ones that start at a byte of what is stored. */
  blob_sums: { blob_id: string; start: number; size: number; sums: Uint8Array }
  /** Storages whose bytes are not, or not only, in the place that they were registered with. */
  mirrors: {
    /** 0 is the default one. */
    storage: number
    /** The place that is read first. */
    first: number
    /** That of the other copy; null if there is none any more. */
    second: number | null
    /** When an upload is acknowledged: once `one` copy is durable, or `both`. */
    acknowledge: 'one' | 'both'
    /** What becomes of uploads that want `both` while a place is down. */
    when_down: 'refuse' | 'continue'
    /** How long the second copy of what was removed is kept. */
    keep_removed_days: number
    /** 1 if the engine of `second` can hold copies so that nobody can destroy them (Object Lock), as far as it is known. */
    locks: Generated<number>
    /** When `second` was last set. */
    changed_at: string
    /** Down to which blob, from the newest on, those are queued that were there before; null: to the last. */
    walked_to: string | null
    /** When those were queued as well that other processes wrote before they knew of the mirror. */
    walked_again_at: string | null
  }
  /** Copies that a place lacks, or has damaged. */
  copies_due: {
    blob_id: string
    place: number
    /** `new`, `existing`, or what is wrong with the copy. */
    reason: 'new' | 'existing' | 'changed' | 'missing' | 'unreadable'
    queued_at: string
    /** When it is tried next; a process that works on it puts it off. */
    next_at: string
    attempts: number
  }
  /** Second copies of what was removed, until they go as well. */
  copy_removals: { blob_id: string; place: number; due_at: string }
  /** How far every copy of a place has been read and compared. */
  scrubs: {
    place: number
    /** The last blob that was. */
    position: string
    started_at: string
    /** Null while it runs. */
    finished_at: string | null
    leased_until: string | null
    checked: number
    damaged: number
    /** Those that got their checksums. */
    summed: number
  }
}
