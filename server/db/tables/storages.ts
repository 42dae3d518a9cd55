import type { Generated } from 'kysely'

/** Storages, and what others keep on them. */
export interface AttachedTables {
  /** Named places for bytes besides that of STORAGE_URL. The ids of blobs on one say its `id`, which is never used again. */
  storages: {
    id: Generated<number>
    name: string
    kind: 's3' | 'file'
    /** The next five and the credentials are of S3. */
    endpoint: string | null
    region: string | null
    bucket: string | null
    /** Empty or ends with a slash. */
    prefix: string
    path_style: 0 | 1 | null
    /** Of files. */
    folder: string | null
    access_key_id: string | null
    /** Sealed. */
    secret: string | null
    /** When it was marked as this instance's, for bytes of our own; null while nothing was written there. */
    marked_at: string | null
    created_at: string
    created_by: string | null
    disabled_at: string | null
    /** Of the token with which the engine reports changes. */
    events_hash: Generated<string | null>
  }
  /** What a bucket shows that is in the mode `read_only`. */
  attachments: {
    bucket_id: string
    storage_id: number
    /** Of the engine's keys; empty or ends with a slash. */
    prefix: string
    /** 1 if the engine gives objects without ETags. */
    weak: 0 | 1
    /** When the last complete scan began; null before the first. */
    as_of: string | null
    /** When others last changed something, as far as is known; null if they have not since the first scan. */
    changed_at: string | null
    /** When the engine last reported a change. */
    events_at: string | null
    /** When the last scan was queued. */
    scanned_at: string | null
  }
  /** Bytes that others keep: never written or removed. The row of the blob is immutable but for what is learned of it. */
  external_blobs: {
    blob_id: string
    /** The engine's whole key. */
    key: string
    /** Null until a HEAD has said it, and on engines without versions. */
    version_id: string | null
    /** Without quotes; null if the engine gives none. */
    etag: string | null
    size: number
    storage_class: string | null
    modified_at: string
    /** JSON: the engine's tags, as they were when its object was hydrated. */
    tags: string | null
    /** When type, metadata and tags were read; a listing has none. */
    hydrated_at: string | null
    /** When the engine last said something new about it. */
    checked_at: string
    /** Since when the engine does not have it any more. */
    missing_since: string | null
    /** In how many complete scans it was absent since then. */
    absences: number
    /** The last scan in which it was absent, until that has marked it. */
    absent_in: string | null
  }
  scans: {
    id: string
    bucket_id: string
    status: 'queued' | 'running' | 'succeeded' | 'held' | 'superseded'
    phase: 'listing' | 'marking'
    started_by: 'attach' | 'request' | 'schedule'
    /** The last key that was compared. */
    position: string | null
    seen: number
    added: number
    changed: number
    /** Of those that are not marked as missing yet. */
    absent: number
    missing: number
    removed: number
    refused: number
    /** JSON: the first 100, as { key, reason } */
    refused_keys: string
    /** The last refused key that was counted, in hex. */
    refused_to: string | null
    /** How many changes were recorded one by one. */
    recorded: number
    held_reason: 'many_missing' | 'empty' | 'listing_failed' | 'disordered' | null
    detail: string | null
    runner: string | null
    leased_until: string | null
    created_at: string
    created_by: string | null
    started_at: string | null
    finished_at: string | null
    confirmed_at: string | null
    confirmed_by: string | null
  }
  /** Keys of attached buckets of which the engine said that they changed. */
  scan_hints: { bucket_id: string; key: string; hinted_at: string }
}
