import type { Generated } from 'kysely'

/** What this database is. */
export interface InstanceTables {
  /** One row, inserted with the table. */
  instance: {
    /** Also in the mark of the storage that belongs to this database. */
    id: string
    /** Fingerprint of its SECRET_KEY; null until the first start. */
    key_fingerprint: string | null
    created_at: string
    /** The newest time at which the clock was found right, where anything can be locked. */
    clock_trusted_at: Generated<string | null>
    /** The newest time on record when a process started more than a day after it, and when that was. */
    clock_gap_from: Generated<string | null>
    clock_gap_seen: Generated<string | null>
    /**
     * Raised by triggers with every change of what requests ask about again and again; on PostgreSQL, `revisions` says
     * that.
     */
    revision: Generated<number>
    /**
     * Up to which object, as JSON of its bucket's id and key, the words of those were written that were there before the index; ''
     * for none yet, null: all.
     */
    words_to: Generated<string | null>
    /** Since when every change of an object is known, in microseconds since 1970. */
    moments_since: Generated<number>
    /** Raised by each copy of the database that takes over: the one with the highest may write. */
    epoch: Generated<number>
    /** Tells two that took the same one; null: the instance's id. */
    epoch_holder: Generated<string | null>
    /** Another random text after each change of the policy of any bucket, by triggers; '' before the first. */
    policies: Generated<string>
  }
  /** Of PostgreSQL: triggers change one of its rows with every change of what requests ask about again and again. */
  revisions: {
    slot: number
    value: number
  }
  /** The service's keys that encrypt the keys of blobs; the highest version that is not retired is current. */
  encryption_keys: {
    version: number
    /** Encrypted with a key derived from ENCRYPTION_KEY or SECRET_KEY. */
    sealed: string
    created_at: string
    /** Since when a newer one has been current. */
    retired_at: Generated<string | null>
  }
  /** Keys of key services that can encrypt the keys of blobs. */
  kms_keys: {
    name: string
    kind: 'aws' | 'transit'
    /** Null: AWS. */
    endpoint: string | null
    region: string | null
    /** What the key service calls it. */
    key_id: string
    /** Of the kind transit: where its secrets engine is mounted. */
    mount: string | null
    access_key_id: string | null
    /** Sealed: the secret of that, or the token. */
    secret: string | null
    created_at: string
    created_by: string | null
    disabled_at: Generated<string | null>
  }
}
