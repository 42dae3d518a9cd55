import type { Generated, Insertable, Kysely, Selectable, Transaction, Updateable } from 'kysely'

/** Times are ISO 8601 UTC texts with milliseconds in code, whatever the engine stores. JSON columns are text. */
export interface Schema {
  users: {
    id: string
    email: string
    /** NFKC, lower case: what makes two addresses the same (P7). */
    email_key: string
    display_name: string
    /** Address and name, NFKC and lower case: what searches look in. */
    search_key: string
    /** bcrypt; null for people who come only through an identity provider. */
    password_hash: string | null
    idp_issuer: string | null
    idp_subject: string | null
    /** Raised to end every access token of the user at once (P6). */
    token_version: number
    disabled_at: string | null
    created_at: string
    last_login_at: string | null
  }
  groups: {
    id: string
    name: string
    name_key: string
    description: string
    /** Names a group that comes with Stowage. */
    builtin: 'administrators' | null
    /** JSON: GlobalRight[] */
    global: string
    created_at: string
  }
  group_members: { group_id: string; user_id: string; added_at: string }
  grants: {
    id: string
    group_id: string
    bucket_pattern: string
    prefix: string
    /** JSON: BucketAction[] */
    actions: string
  }
  /** A login and everything refreshed from it: the refresh family. */
  sessions: {
    id: string
    user_id: string
    auth_method: 'local' | 'idp'
    ip: string | null
    user_agent: string | null
    created_at: string
    /** No refresh goes beyond this (J5). */
    expires_at: string
    last_used_at: string
    revoked_at: string | null
  }
  refresh_tokens: {
    jti: string
    session_id: string
    issued_at: string
    expires_at: string
    consumed_at: string | null
    successor_jti: string | null
  }
  tokens: {
    id: string
    user_id: string
    name: string
    token_prefix: string
    /** SHA-256 in hex (K2). */
    token_hash: string
    /** Of the value that the last rotation replaced, good until `previous_until` (K13). */
    previous_hash: string | null
    previous_until: string | null
    created_at: string
    created_via: 'local' | 'idp' | 'pat'
    created_by_token_id: string | null
    expires_at: string | null
    last_used_at: string | null
    last_used_ip: string | null
    revoked_at: string | null
    /** For which of the notices before its expiry (days) it was already recorded (K12). */
    notice_days: number | null
  }
  /** Logins begun at the identity provider and not yet come back (O2). */
  idp_logins: {
    state_hash: string
    cookie_hash: string
    nonce: string
    /** Encrypted with a key derived from SECRET_KEY. */
    code_verifier: string
    return_to: string | null
    created_at: string
    expires_at: string
  }
  /** Finished browser logins whose tokens wait to be fetched (O6). */
  handoffs: { code_hash: string; session_id: string; refresh_jti: string; expires_at: string }
  /** One row. `changed` is JSON: what was set, by section; secrets in it are encrypted. */
  settings: { id: number; changed: string }
  login_throttle: { key: string; failures: number; window_started_at: string; blocked_until: string | null }
  buckets: {
    id: string
    /** Of a deleted bucket: its id, so that the name is free again. */
    name: string
    trash_days: number
    created_at: string
    created_by: string | null
    deleted_at: string | null
  }
  /**
   * A row only where a quota is set: locking it serialises just the writers that must be counted one by one. `scope` is
   * a bucket, or the nil UUID: all buckets together, whose use is counted in the row itself.
   */
  quotas: { scope: string; quota_gb: number; used_bytes: number | null }
  /** The sum over the shards is exact; several rows so that one bucket's writers need not wait for each other. */
  bucket_usage: {
    bucket_id: string
    shard: number
    bytes: number
    objects: number
    trash_bytes: number
    /** Bytes that open uploads in parts will take. */
    reserved: Generated<number>
  }
  objects: {
    bucket_id: string
    key: string
    blob_id: string
    size: number
    etag: string
    sha256: string | null
    content_type: string
    /** JSON: Record<string, string> */
    metadata: string
    created_at: string
    last_modified: string
    created_by: string | null
  }
  trash: Schema['objects'] & {
    id: string
    reason: 'deleted' | 'overwritten'
    deleted_at: string
    deleted_by: string | null
  }
  /** `check_after`: from then on the collector asks whether anything points here; null once it was found in use. */
  blobs: { id: string; check_after: string | null }
  /** Bytes no row points at any more, to be removed from the storage. */
  blob_removals: { blob_id: string; queued_at: string }
  /** Uploads in parts: open while `completed_at` is null, kept for a while after that for those who ask again. */
  uploads: {
    id: string
    bucket_id: string
    key: string
    /** Null once it is completed: then the object holds the blob. */
    blob_id: string | null
    /** What the storage calls it. */
    handle: string
    content_type: string
    /** JSON: Record<string, string> */
    metadata: string
    file_size: number | null
    part_size: number
    /** Bytes it takes of the quotas. */
    reserved: number
    created_at: string
    created_by: string | null
    /** Token with which it was begun; its URLs end with that. */
    created_with: string | null
    expires_at: string
    completed_at: string | null
    /** JSON: the object it became. */
    result: string | null
  }
  upload_parts: {
    upload_id: string
    part_number: number
    size: number
    /** Hex MD5. */
    etag: string
    /** What the storage knows it by. */
    ref: string
    received_at: string
  }
  jobs: {
    id: string
    kind: 'copy' | 'move' | 'delete' | 'empty_bucket'
    status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
    /** JSON: what was asked for, but for the lists of keys. */
    request: string
    /** JSON: the keys that are named and those left out, which may be megabytes. */
    selection: string
    /** JSON: who asked, with what credential, from where. */
    actor: string
    created_by: string
    created_by_email: string | null
    /** The objects are written down in job_items first; up to which key that has come, and when it was done. */
    listed_to: string | null
    listed_at: string | null
    total: number
    /** Up to which item the work is done. */
    position: number
    done: number
    failed: number
    /** JSON: the first 100. */
    errors: string
    detail: string | null
    /** Which process works on it, until when unless it renews that. */
    runner: string | null
    leased_until: string | null
    cancel_at: string | null
    created_at: string
    started_at: string | null
    finished_at: string | null
  }
  job_items: { job_id: string; position: number; key: string }
  audit: {
    id: string
    time: string
    action: string
    result: 'success' | 'denied' | 'failure'
    status_code: number | null
    error_code: string | null
    actor_user_id: string | null
    actor_email: string | null
    actor_type: 'user' | 'public' | 'system' | 'cli'
    auth_method: string | null
    token_id: string | null
    session_id: string | null
    actor_ip: string | null
    user_agent: string | null
    request_id: string | null
    method: string | null
    route: string | null
    bucket: string | null
    object_key: string | null
    resource_type: string | null
    resource_id: string | null
    details: string
  }
  webhook_endpoints: {
    id: string
    name: string
    url: string
    /** JSON: event names or `*` */
    events: string
    /** Encrypted with a key derived from SECRET_KEY. */
    secret: string
    created_at: string
    created_by: string | null
    disabled_at: string | null
  }
  webhook_deliveries: {
    id: string
    endpoint_id: string
    audit_id: string
    event: string
    /** The exact text that is signed and sent at every attempt (W3). */
    body: string
    status: 'queued' | 'acknowledged' | 'failed'
    attempts: number
    last_status_code: number | null
    last_error: string | null
    created_at: string
    next_attempt_at: string | null
    acknowledged_at: string | null
  }
}

export type Row<T extends keyof Schema> = Selectable<Schema[T]>
export type NewRow<T extends keyof Schema> = Insertable<Schema[T]>
export type RowChange<T extends keyof Schema> = Updateable<Schema[T]>

/** Reads. It has no way to insert, update or delete; a `Tx` can be passed wherever a `Db` is asked for. */
export type Db = Pick<Kysely<Schema>, 'selectFrom' | 'selectNoFrom' | 'withRecursive' | 'getExecutor'>
/** An open transaction: the only thing a store's writes accept. */
export type Tx = Transaction<Schema>
