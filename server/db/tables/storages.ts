import type { Generated } from 'kysely'
import type { HeldReason } from '../../../contract/scans.ts'

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
  /** What a bucket shows that is in the mode `read_only`, or showed when it was taken over. */
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
    /** Null: it was not. */
    taken_over_at: Generated<string | null>
    /** The job that writes its objects to another place, in the key layout. */
    release_job: Generated<string | null>
    /** Where that has written something, perhaps before it was cancelled. */
    release_storage_id: Generated<number | null>
    release_prefix: Generated<string | null>
    /** How the engine orders its lists; null: by the bytes of the keys. */
    key_order: Generated<'segments' | null>
  }
  /**
   * Bytes that others keep: never written or removed. Those of a bucket that was taken over are ours to remove. The row of
   * the blob is immutable but for what is learned of it.
   */
  external_blobs: {
    blob_id: string
    bucket_id: string
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
    /** The key in the order of a list by path segments (`sortKeyOf`); null where nobody needed it yet. */
    sort_key: Generated<string | null>
  }
  scans: {
    id: string
    bucket_id: string
    status: 'queued' | 'running' | 'succeeded' | 'held' | 'superseded'
    phase: 'reading' | 'listing' | 'marking'
    started_by: 'attach' | 'request' | 'schedule' | 'take_over'
    /** The last key that was compared, or asked for. */
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
    held_reason: HeldReason | null
    detail: string | null
    runner: string | null
    leased_until: string | null
    created_at: string
    created_by: string | null
    started_at: string | null
    finished_at: string | null
    confirmed_at: string | null
    confirmed_by: string | null
    /** JSON: how its bucket is to be taken over. */
    take_over: Generated<string | null>
    /** 1: it began again, because the engine orders its list otherwise than was thought. */
    reordered: Generated<1 | null>
  }
  /** Keys of attached buckets of which the engine said that they changed. */
  scan_hints: { bucket_id: string; key: string; hinted_at: string }
  /** What others did where buckets were taken over, by the engine's keys without the prefix. */
  findings: {
    bucket_id: string
    key: string
    kind: 'changed' | 'missing' | 'foreign'
    /** Of what is there now. */
    size: number | null
    etag: string | null
    found_at: string
    /** The last scan that found it; null: an event did. */
    seen_in: string | null
  }
  /** Bytes of buckets that were taken over, which nothing points at any more, to be removed from the engine. */
  external_removals: {
    blob_id: string
    bucket_id: string
    storage_id: number
    key: string
    version_id: string | null
    etag: string | null
    size: number
    modified_at: string
    queued_at: string
  }
}
