import type { StorageTables } from './storage.ts'

/** Lists of what is in buckets, written as tables. */
export interface InventoryTables {
  /** What is listed, when, and where it is written to. */
  inventories: {
    id: string
    /** The bucket that is listed; null for all of them. */
    bucket_id: string | null
    name: string
    /** Only keys that start with this. */
    prefix: string
    versions: 'current' | 'all'
    format: 'parquet' | 'csv'
    /** JSON: the columns, in their order; null for all. */
    columns: string | null
    /** Whether what has changed since the inventory before it is written as well. */
    changes: 0 | 1
    /** Rows of a file, at most. */
    rows_per_file: number
    dest_bucket: string
    dest_prefix: string
    schedule: 'daily' | 'weekly' | null
    /** UTC. */
    hour: number
    /** When it was turned off. */
    disabled_at: string | null
    /** Null while it is not scheduled. */
    next_run_at: string | null
    /** Counts changes of all this. */
    revision: number
    /** Who last changed it: it runs with their permissions. */
    author_id: string
    author_email: string | null
    created_at: string
    created_by: string
    updated_at: string
    deleted_at: string | null
  }
  inventory_runs: {
    id: string
    inventory_id: string
    trigger: 'manual' | 'schedule'
    status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
    reason: string | null
    /** JSON: what was set when it was queued. */
    settings: string
    author_id: string
    author_email: string | null
    /** JSON: who asked for it, with which credential, from where; null if the schedule did. */
    requester: string | null
    /** What buckets were at this moment is listed, in microseconds since 1970; null until it has begun. */
    moment: number | null
    /** Where its files are, below the destination's prefix; ends in a slash. */
    folder: string | null
    /** JSON: the buckets that are listed, [{ id, name, storage, before }]; `before`: the moment since which changes are listed. */
    buckets: string
    /** JSON: how far it is. */
    place: string
    /** JSON: the files that are written, [{ key, size, md5, rows, of }]. */
    files: string
    rows: number
    bytes: number
    /** Why no list of changes belongs to it, in a sentence; null if one does. */
    no_changes: string | null
    runner: string | null
    leased_until: string | null
    cancel_at: string | null
    created_at: string
    started_at: string | null
    finished_at: string | null
  }
  /** Buckets whose versions a run lists, while it does: those up to `seq`. */
  inventory_buckets: { run_id: string; bucket_id: string; seq: number }
  /** What such versions were that have changed, or are gone, since the run began. Written by triggers. */
  inventory_versions: Omit<
    StorageTables['versions'],
    'seq' | 'headers' | 'acl' | 'noncurrent_at' | 'job_id' | 'moment' | 'author'
  > & { run_id: string; seq: number }
}
