/** Buckets whose objects are also in a bucket of an engine, under keys of their own. */
export interface ReplicationTables {
  /** Which, and how far that is; the rules are in the row of the bucket. */
  replications: {
    bucket_id: string
    /** Where the replica is, and under which prefix there. */
    storage_id: number
    prefix: string
    /** What becomes of encrypted contents: they fail, go decrypted through TLS, or so that the engine encrypts them. */
    encrypted: 'refuse' | 'plain' | 'engine'
    /** What an S3 client named as its role; says nothing here. */
    role: string | null
    /** Whether objects are replicated that were there before. */
    existing: 0 | 1
    configured_at: string
    /** The last key of those that were there before which is queued; null: all are, or none are to be. */
    walked_to: string | null
    /** Objects with this moment or a later one are not: their changes were. In microseconds since 1970. */
    walk_before: number
    paused_at: string | null
    /** Why nothing can be written there now, in a sentence. */
    error: string | null
    /** How often in a row that was so. */
    failures: number
    /** When it is tried again. */
    retry_at: string | null
  }
  /**
   * What a replica lacks: what became of a key, its contents by their version. A row is there until the replica has it as of
   * its moment.
   */
  replication_queue: {
    bucket_id: string
    key: string
    /** Empty for the `null` version; `-` is that the key has no object any more. */
    version_id: string
    /** When the key became so, in microseconds since 1970; rows of a key are worked on in this order. */
    moment: number
    /** The moment of the oldest change that the replica lacks because of this row. */
    since: number
    /** Bytes. */
    size: number
    attempts: number
    /** When it is tried again; null: at once. */
    next_at: string | null
    /** Why it has failed, in a sentence; then it is not tried again by itself. */
    reason: string | null
    /** Whose work it is until then. */
    token: string | null
    leased_until: string | null
  }
}
