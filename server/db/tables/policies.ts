import type { Generated } from 'kysely'

/** Cleanup policies, their runs, and what each run matched. */
export interface PolicyTables {
  policies: {
    id: string
    name: string
    /** JSON: string[] */
    bucket_patterns: string
    prefix: string
    glob: string | null
    older_than_days: number | null
    min_size: number | null
    max_size: number | null
    /** JSON: {name: value} */
    tags: string | null
    /** Nothing is deleted before. */
    date: string | null
    keep_newest: number | null
    noncurrent_days: number | null
    keep_versions: number | null
    /** Whether it deletes delete markers of which nothing else is left. */
    expired_markers: 1 | null
    /** Of a policy that takes snapshots and deletes no objects: how many of its own stay of each bucket. */
    keep_snapshots: Generated<number | null>
    max_deletes: number | null
    max_delete_percent: number | null
    cron: string | null
    timezone: string
    disabled_at: string | null
    /** Null while it is disabled or has no schedule. */
    next_run_at: string | null
    /** Counts the changes: a run belongs to the policy as it was. */
    revision: number
    /** Who changed it last. */
    author_id: string
    author_email: string | null
    created_by: string
    created_at: string
    updated_at: string
    /** The row stays until its history is deleted. */
    deleted_at: string | null
    /** Of a lifecycle rule: the only bucket it reaches, and the rule's id. Null for all others. */
    bucket_id: string | null
    lifecycle_rule: string | null
  }
  policy_runs: {
    id: string
    policy_id: string
    kind: 'dry' | 'live'
    /** The dry run whose list it deletes. */
    of_run: string | null
    trigger: 'manual' | 'schedule'
    status: 'queued' | 'running' | 'succeeded' | 'stopped' | 'failed' | 'cancelled'
    reason: string | null
    /** JSON: the policy's rule and limits when the run started. */
    rule: string
    revision: number
    author_id: string
    author_email: string | null
    /** JSON: who asked for it, with which credential, from where; null if the schedule did. */
    requester: string | null
    cutoff: string
    scheduled_for: string | null
    examined: number
    matched: number
    matched_bytes: number
    /** When all matches were listed; nothing is deleted before. */
    listed_at: string | null
    /** Up to which item the work is done. */
    position: number
    deleted: number
    deleted_bytes: number
    kept: number
    /** JSON: the first 100 matches, {bucket, key}. */
    sample: string
    /** JSON: the first 100 that were kept. */
    errors: string
    runner: string | null
    leased_until: string | null
    cancel_at: string | null
    created_at: string
    started_at: string | null
    finished_at: string | null
    /** When its items were deleted. */
    forgotten_at: string | null
  }
  /** One object or version that a run matched. */
  policy_run_items: {
    run_id: string
    position: number
    bucket_id: string
    bucket: string
    key: string
    /** Of a version that is not current: its row, and its id unless it is the null version. Null for an object. */
    version_seq: number | null
    version_id: string | null
    size: number
    etag: string
    /** Empty for a delete marker. */
    blob_id: string
    last_modified: string
    /** Null until its turn has come. */
    outcome: 'deleted' | 'kept_changed' | 'kept_locked' | 'gone' | 'taken' | 'not_taken' | null
  }
}
