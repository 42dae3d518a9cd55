// Generated from contract/ by `npm run docs`.

/** What a request may send as bytes. */
export type Bytes = NonNullable<RequestInit['body']>
/** A page of a list that is read on by cursor. */
export interface Page<T> {
  items: T[]
  next_cursor: string | null
}
/** A page of a list that is read by page number. */
export interface NumberedPage<T> {
  items: T[]
  total: number
  page: number
  page_size: number
}

export interface Me {
  /** A UUIDv7. */
  id: string
  email: string
  display_name: string
  is_admin: boolean
  groups: {
    /** A UUIDv7. */
    id: string
    name: string
  }[]
  permissions: {
    global: ('admin' | 'users.manage')[]
    grants: ({
      /** A UUIDv7. */
      group_id: string
      /** A UUIDv7. */
      grant_id: string
      bucket_pattern: string
      prefix: string
      actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create')[]
    })[]
  }
  /** What the settings allow of links and tokens. */
  limits: {
    /** How long a link lives where nothing is said. */
    share_default_expires_in: string
    share_max_expires_in: string | null
    token_max_lifetime_days: number | null
  }
}

export interface TokenPair {
  /** A JWT (HS256), valid 30 minutes. */
  access_token: string
  token_type: 'bearer'
  /** Seconds the access token is valid. */
  expires_in: number
  /** Good for one exchange within 7 days. With `session=cookie` it is in the cookie alone. */
  refresh_token?: string
}

export interface NewToken {
  /** A UUIDv7. */
  id: string
  name: string
  /** The first 12 characters, to know it by. */
  token_prefix: string
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  expires_at: string | null
  /** The credential. Shown in this answer and never again. */
  token: string
}

export interface Token {
  /** A UUIDv7. */
  id: string
  name: string
  /** The first 12 characters, to know it by. */
  token_prefix: string
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  last_used_ip: string | null
  revoked_at: string | null
  /** `expiring`: within seven days. */
  status: 'active' | 'expiring' | 'expired' | 'revoked'
  /** What its creator was signed in with. */
  created_via: 'local' | 'idp' | 'pat'
  created_by_token_id: string | null
}

export interface Bucket {
  /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
  name: string
  quota_gb: number | null
  /** Bytes of live objects: the number the quota is held against. */
  used_bytes: number
  /** What open uploads in parts will take; it counts against the quota. */
  reserved_bytes: number
  object_count: number
  /** Bytes in the trash; they do not count against the quota. */
  trash_bytes: number
  /** Days that deleted and overwritten contents stay restorable; 0 switches the trash off. */
  trash_days: number
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  /** What the caller may do somewhere in it. */
  permissions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create')[]
}

export interface UsagePoint {
  /** When the hour or day (UTC) begins. */
  time: string
  /** Bytes of live objects as they were found last within that time; null where nobody looked. */
  used_bytes: number | null
  object_count: number | null
  /** Bytes of contents received, also of uploads that failed later. */
  uploaded_bytes: number
  /** Bytes sent of contents, images and archives. */
  downloaded_bytes: number
  requests: number
}

export interface BulkResult {
  /** Keys where it was done; of a copy or move the new ones. */
  succeeded: string[]
  errors: {
    /** As it was given. */
    key: string
    code: string
    detail: string
  }[]
}

export interface DeleteResult {
  /** Keys where it was done; of a copy or move the new ones. */
  succeeded: string[]
  errors: {
    /** As it was given. */
    key: string
    code: string
    detail: string
  }[]
  /** What went to the trash; empty where the trash is off. */
  trash_ids: string[]
}

export interface StoredObject {
  /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
  key: string
  /** Bytes. */
  size: number
  /** MD5 of the contents, hex (of a multipart upload: `md5-of-md5s-N`). */
  etag: string
  content_type: string
  /** SHA-256 of the contents, hex. */
  sha256?: string
  metadata: Record<string, string>
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  /** ISO 8601, UTC, milliseconds. */
  last_modified: string
  created_by: string | null
}

export interface ImageQuery {
  /** Width of the box in CSS pixels; one alone keeps the ratio. */
  w?: number
  /** Height of the box in CSS pixels; one alone keeps the ratio. */
  h?: number
  /** `auto` takes what `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: that of the source where we can write it, else WebP. */
  format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
  /** Quality. Default: JPEG 80, WebP 80, AVIF 50. PNG has none. */
  q?: number
  /** How the picture gets into a box of `w` and `h`: whole inside of it (`contain`, `inside`), filling it with what juts out cut off (`cover`), distorted (`fill`), or whole with margins (`pad`). */
  fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
  /** Multiplies `w` and `h`. */
  dpr?: number
  /** `1`: may become larger than the source. */
  enlarge?: '0' | '1'
  /** `1`: all frames of a GIF or WebP, as WebP. Otherwise and in other formats the first. */
  animated?: '0' | '1'
}

export interface Upload {
  /** A UUIDv7. */
  upload_id: string
  /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
  key: string
  file_size: number | null
  /** Bytes of every part but the last. */
  part_size: number
  num_parts: number | null
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  received_parts: number
  received_bytes: number
}

export interface NewShare {
  /** A UUIDv7. */
  id: string
  kind: 'object' | 'folder' | 'selection' | 'upload'
  /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  object_key: string | null
  prefix: string | null
  keys: string[] | null
  expires_at: string | null
  has_password: boolean
  max_downloads: number | null
  filename: string | null
  disposition: 'inline' | 'attachment' | null
  max_file_bytes: number | null
  max_total_bytes: number | null
  max_files: number | null
  content_types: string[] | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  created_by_email: string | null
  revoked_at: string | null
  /** `spent`: all its downloads were taken. */
  state: 'active' | 'expired' | 'spent' | 'revoked'
  /** Downloads, or files received. */
  access_count: number
  received_bytes: number
  last_accessed_at: string | null
  /** Shown only now; a hash of it is kept. */
  token: string
  url: string
}

export interface Share {
  /** A UUIDv7. */
  id: string
  kind: 'object' | 'folder' | 'selection' | 'upload'
  /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  object_key: string | null
  prefix: string | null
  keys: string[] | null
  expires_at: string | null
  has_password: boolean
  max_downloads: number | null
  filename: string | null
  disposition: 'inline' | 'attachment' | null
  max_file_bytes: number | null
  max_total_bytes: number | null
  max_files: number | null
  content_types: string[] | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  created_by_email: string | null
  revoked_at: string | null
  /** `spent`: all its downloads were taken. */
  state: 'active' | 'expired' | 'spent' | 'revoked'
  /** Downloads, or files received. */
  access_count: number
  received_bytes: number
  last_accessed_at: string | null
}

export interface Job {
  /** A UUIDv7. */
  id: string
  kind: 'copy' | 'move' | 'delete' | 'empty_bucket' | 'restore'
  /** `succeeded`: it came to its end; single objects may have failed. `failed`: it could not go on. */
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
  /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
  source_bucket: string
  prefix: string
  search: string | null
  dest_bucket: string | null
  dest_prefix: string | null
  if_none_match: '*' | null
  of: string | null
  /** Whether a job of kind `restore` finds something that this one deleted or moved. */
  restorable: boolean
  total: number | null
  done: number
  /** With those that had changed: `total` becomes `done` and `failed` together. */
  failed: number
  /** How many of those that failed were left alone because they had changed since the job listed them. */
  changed: number
  /** The first 100. */
  errors: {
    key: string
    code: string
    detail: string
  }[]
  detail: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  created_by_email: string | null
  started_at: string | null
  finished_at: string | null
}

export interface Policy {
  /** A UUIDv7. */
  id: string
  name: string
  bucket_patterns: string[]
  prefix: string
  glob: string | null
  older_than_days: number | null
  min_size: number | null
  keep_newest: number | null
  max_deletes: number | null
  max_delete_percent: number | null
  cron: string | null
  timezone: string
  enabled: boolean
  next_run_at: string | null
  /** The last one that was no dry run and is over. */
  last_run: {
    /** A UUIDv7. */
    id: string
    /** A UUIDv7. */
    policy_id: string
    dry_run: boolean
    of: string | null
    trigger: 'manual' | 'schedule'
    /** `stopped`: a guard rail or a change of the policy ended it. `failed`: it could not go on. See `reason`. */
    status: 'queued' | 'running' | 'succeeded' | 'stopped' | 'failed' | 'cancelled'
    reason: string | null
    /** ISO 8601, UTC, milliseconds. */
    cutoff: string
    scheduled_for: string | null
    /** Objects in scope. */
    examined: number
    matched: number
    matched_bytes: number
    deleted: number
    /** Bytes deleted; of a dry run, bytes it would delete. */
    bytes: number
    /** Matched, but changed or gone when their turn came. */
    kept: number
    /** A UUIDv7. */
    author_id: string
    author_email: string | null
    requested_by: string | null
    requested_by_email: string | null
    /** ISO 8601, UTC, milliseconds. */
    created_at: string
    started_at: string | null
    finished_at: string | null
  } | null
  /** Who changed it last: it runs with their rights. */
  author_id: string
  author_email: string | null
  created_by: string
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string
}

export interface PolicyRun {
  /** A UUIDv7. */
  id: string
  /** A UUIDv7. */
  policy_id: string
  dry_run: boolean
  of: string | null
  trigger: 'manual' | 'schedule'
  /** `stopped`: a guard rail or a change of the policy ended it. `failed`: it could not go on. See `reason`. */
  status: 'queued' | 'running' | 'succeeded' | 'stopped' | 'failed' | 'cancelled'
  reason: string | null
  /** ISO 8601, UTC, milliseconds. */
  cutoff: string
  scheduled_for: string | null
  /** Objects in scope. */
  examined: number
  matched: number
  matched_bytes: number
  deleted: number
  /** Bytes deleted; of a dry run, bytes it would delete. */
  bytes: number
  /** Matched, but changed or gone when their turn came. */
  kept: number
  /** A UUIDv7. */
  author_id: string
  author_email: string | null
  requested_by: string | null
  requested_by_email: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  started_at: string | null
  finished_at: string | null
  /** The first 100 of what was kept. */
  errors: {
    bucket: string
    key: string
    code: string
    detail: string
  }[]
  /** Keys of the first 100 matches, without those the caller may not list. */
  sample: string[]
}

export interface RestoredItem {
  /** A UUIDv7. */
  id: string
  /** The key it has now. */
  key: string
  /** The key it had; another one where both were kept. */
  original_key: string
  /** Whether an object that was at the key gave way to it. */
  replaced: boolean
  /** What gave way, in the trash; null where nothing did or the bucket keeps no trash. */
  replaced_trash_id: string | null
}

export interface TrashItem {
  /** A UUIDv7. */
  id: string
  /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
  key: string
  size: number
  etag: string
  content_type: string
  reason: 'deleted' | 'overwritten'
  /** ISO 8601, UTC, milliseconds. */
  deleted_at: string
  deleted_by: string | null
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string
}

export interface DirectoryPerson {
  external_id: string
  email: string | null
  display_name: string
  username: string | null
  enabled: boolean
  already_imported: boolean
}

export interface User {
  /** A UUIDv7. */
  id: string
  email: string
  display_name: string
  is_active: boolean
  /** Derived: a member of a group that holds `admin`. */
  is_admin: boolean
  /** Whether they can log in with e-mail and password. */
  has_password: boolean
  idp_subject: string | null
  groups: {
    /** A UUIDv7. */
    id: string
    name: string
  }[]
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  last_login_at: string | null
}

export interface Group {
  /** A UUIDv7. */
  id: string
  name: string
  description: string
  /** Comes with Strongroom; it cannot be deleted or lose its rights. */
  builtin: boolean
  global: ('admin' | 'users.manage')[]
  grants: ({
    /** A UUIDv7. */
    id: string
    /** A bucket name; `*` is any run of characters, at most three of them. */
    bucket_pattern: string
    prefix: string
    actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create')[]
    preset: 'viewer' | 'uploader' | 'editor' | 'publisher' | 'owner' | null
  })[]
  member_count: number
}

export interface Settings {
  auth: {
    /** Login with e-mail and password. */
    enable_local: boolean
    /** Login through the identity provider, once one is set up. */
    enable_idp: boolean
    /** A first login through the identity provider makes an account, in no group. */
    auto_create_users: boolean
    /** Each refresh replaces the refresh token. Off: the first one works for its 7 days. */
    refresh_rotation: boolean
    /** The browser that finishes a login must be the one that began it. */
    idp_require_browser_cookie: boolean
  }
  idp: {
    /** Shown on the login button. */
    name: string | null
    /** Issuer of OpenID Connect discovery. */
    issuer_url: string | null
    client_id: string | null
    /** The claim that says who it is. Default: `oid` at Entra, else `sub`. */
    subject_claim: string | null
    /** The claim that lists their groups; null leaves groups to administrators here. */
    groups_claim: string | null
    /** At each login: members of the provider’s group are put into ours, others are taken out. Groups not named here are left alone. */
    group_mapping: {
      value: string
      /** A UUIDv7. */
      group_id: string
    }[]
    /** Whether one is set. */
    client_secret_set: boolean
  }
  directory: {
    kind: 'msgraph' | 'keycloak' | 'scim2' | null
    /** Graph host, Keycloak base, or what `/Users` follows in SCIM. */
    url: string | null
    /** Where application tokens are issued. */
    token_url: string | null
    /** Default: that of the identity provider. */
    client_id: string | null
    /** Keycloak. */
    realm: string | null
    /** SCIM. */
    subject_attribute: 'id' | 'externalId' | 'userName'
    /** Whether one is set. */
    client_secret_set: boolean
    /** Whether one is set. */
    bearer_token_set: boolean
  }
  quotas: {
    /** Of buckets created without saying. Null: none. */
    default_bucket_quota_gb: number | null
    /** All buckets together; held like a bucket’s. */
    total_quota_gb: number | null
  }
  trash: {
    /** Of buckets created without saying. */
    default_days: number
  }
  tokens: {
    /** The longest a new personal access token may live; 0: no limit. */
    max_lifetime_days: number
    /** A token made with a token does not outlive it. */
    cap_child_expiry: boolean
  }
  uploads: {
    /** When an upload in parts that was not finished is given up. */
    expire_hours: number
  }
  shares: {
    default_expires_in: string
    /** The longest a new link may live; null: no limit. */
    max_expires_in: string | null
    /** A link ends when its creator is disabled, or may not share or read (of uploads: write) what it is of any more. */
    require_creator_access: boolean
  }
  images: {
    /** Bytes of the source. */
    max_source_mb: number
    /** Of all frames together, as the header declares. */
    max_source_megapixels: number
    /** Of progressive and interlaced sources. */
    max_progressive_megapixels: number
    max_avif_source_megapixels: number
    /** Of all frames together. */
    max_result_megapixels: number
    max_avif_result_megapixels: number
    /** More are left out. */
    max_frames: number
    /** In the queue and rendering. */
    timeout_seconds: number
    /** Renders at a time in one process. Null: one for each core. Never more than there are cores. */
    render_slots: number | null
    /** How many of them one user may have. Null: three quarters, at least 2. */
    slots_per_user: number | null
    /** How many of them one share link may have. Null: half. */
    slots_per_link: number | null
    /** Beyond it: 503. */
    queue_length: number
    /** Held by all renders of a process together. */
    megapixels_in_flight: number
    /** The same in bytes. */
    source_mb_in_flight: number
  }
  audit: {
    /** 0: for ever. */
    retention_days: number
    /** Whether downloads are recorded too. */
    log_reads: boolean
  }
  /** Fields that environment variables set, like `idp.client_id`, with the variable’s name. */
  fixed: Record<string, string>
}

export interface SettingsChange {
  auth?: {
    /** Login with e-mail and password. */
    enable_local?: boolean
    /** Login through the identity provider, once one is set up. */
    enable_idp?: boolean
    /** A first login through the identity provider makes an account, in no group. */
    auto_create_users?: boolean
    /** Each refresh replaces the refresh token. Off: the first one works for its 7 days. */
    refresh_rotation?: boolean
    /** The browser that finishes a login must be the one that began it. */
    idp_require_browser_cookie?: boolean
  }
  idp?: {
    /** Shown on the login button. */
    name?: string | null
    /** Issuer of OpenID Connect discovery. */
    issuer_url?: string | null
    client_id?: string | null
    client_secret?: string | null
    /** The claim that says who it is. Default: `oid` at Entra, else `sub`. */
    subject_claim?: string | null
    /** The claim that lists their groups; null leaves groups to administrators here. */
    groups_claim?: string | null
    /** At each login: members of the provider’s group are put into ours, others are taken out. Groups not named here are left alone. */
    group_mapping?: {
      value: string
      /** A UUIDv7. */
      group_id: string
    }[]
  }
  directory?: {
    kind?: 'msgraph' | 'keycloak' | 'scim2' | null
    /** Graph host, Keycloak base, or what `/Users` follows in SCIM. */
    url?: string | null
    /** Where application tokens are issued. */
    token_url?: string | null
    /** Default: that of the identity provider. */
    client_id?: string | null
    client_secret?: string | null
    /** Keycloak. */
    realm?: string | null
    bearer_token?: string | null
    /** SCIM. */
    subject_attribute?: 'id' | 'externalId' | 'userName'
  }
  quotas?: {
    /** Of buckets created without saying. Null: none. */
    default_bucket_quota_gb?: number | null
    /** All buckets together; held like a bucket’s. */
    total_quota_gb?: number | null
  }
  trash?: {
    /** Of buckets created without saying. */
    default_days?: number
  }
  tokens?: {
    /** The longest a new personal access token may live; 0: no limit. */
    max_lifetime_days?: number
    /** A token made with a token does not outlive it. */
    cap_child_expiry?: boolean
  }
  uploads?: {
    /** When an upload in parts that was not finished is given up. */
    expire_hours?: number
  }
  shares?: {
    default_expires_in?: string
    /** The longest a new link may live; null: no limit. */
    max_expires_in?: string | null
    /** A link ends when its creator is disabled, or may not share or read (of uploads: write) what it is of any more. */
    require_creator_access?: boolean
  }
  images?: {
    /** Bytes of the source. */
    max_source_mb?: number
    /** Of all frames together, as the header declares. */
    max_source_megapixels?: number
    /** Of progressive and interlaced sources. */
    max_progressive_megapixels?: number
    max_avif_source_megapixels?: number
    /** Of all frames together. */
    max_result_megapixels?: number
    max_avif_result_megapixels?: number
    /** More are left out. */
    max_frames?: number
    /** In the queue and rendering. */
    timeout_seconds?: number
    /** Renders at a time in one process. Null: one for each core. Never more than there are cores. */
    render_slots?: number | null
    /** How many of them one user may have. Null: three quarters, at least 2. */
    slots_per_user?: number | null
    /** How many of them one share link may have. Null: half. */
    slots_per_link?: number | null
    /** Beyond it: 503. */
    queue_length?: number
    /** Held by all renders of a process together. */
    megapixels_in_flight?: number
    /** The same in bytes. */
    source_mb_in_flight?: number
  }
  audit?: {
    /** 0: for ever. */
    retention_days?: number
    /** Whether downloads are recorded too. */
    log_reads?: boolean
  }
}

export interface Attempt {
  number: number
  /** `interrupted`: the process that made it ended; what the receiver got is unknown. */
  trigger: 'scheduled' | 'manual' | 'interrupted'
  /** ISO 8601, UTC, milliseconds. */
  started_at: string
  duration_ms: number
  url: string
  ip: string | null
  request_headers: Record<string, string>
  status_code: number | null
  response_headers: Record<string, string> | null
  /** The first 16 KiB. */
  response_body: string | null
  response_encoding: 'utf-8' | 'base64' | null
  response_truncated: boolean
  /** `dns`, `blocked`, `connect`, `tls`, `timeout_headers`, `timeout_body`, `reset`, `protocol`, `http_status`, `proxy`, `secret`, `interrupted`. */
  error_class: string | null
  error: string | null
}

export interface Delivery {
  /** A UUIDv7. */
  id: string
  event: string
  status: 'queued' | 'acknowledged' | 'failed'
  attempts: number
  last_status_code: number | null
  last_error: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  next_attempt_at: string | null
  acknowledged_at: string | null
}

export interface ListedWebhook {
  /** A UUIDv7. */
  id: string
  name: string
  url: string
  events: string[]
  /** Only events of this bucket; of moves either end counts. */
  bucket: string | null
  /** Only events of keys that start with it; needs `bucket`. */
  prefix: string | null
  enabled: boolean
  disabled_at: string | null
  /** Null where an administrator paused it. */
  disabled_reason: string | null
  /** Deliveries in flight to it at a time, over all replicas. */
  max_in_flight: number
  /** A new secret waits; until then `X-Svc-Signature` is made with the old one. */
  rotation: {
    /** ISO 8601, UTC, milliseconds. */
    promotes_at: string
  } | null
  /** Since when no attempt succeeded. */
  failing_since: string | null
  /** After four failures in a row new deliveries wait until then; retries go on. */
  cooling_until: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  /** The latest; null where there is none (any more). */
  last_delivery: {
    /** A UUIDv7. */
    id: string
    event: string
    status: 'queued' | 'acknowledged' | 'failed'
    attempts: number
    /** ISO 8601, UTC, milliseconds. */
    at: string
  } | null
  /** What became of the deliveries of the last 24 hours that are over; of at most the latest 500. */
  recent: {
    acknowledged: number
    failed: number
  }
}

export interface NewWebhook {
  /** A UUIDv7. */
  id: string
  name: string
  url: string
  events: string[]
  /** Only events of this bucket; of moves either end counts. */
  bucket: string | null
  /** Only events of keys that start with it; needs `bucket`. */
  prefix: string | null
  enabled: boolean
  disabled_at: string | null
  /** Null where an administrator paused it. */
  disabled_reason: string | null
  /** Deliveries in flight to it at a time, over all replicas. */
  max_in_flight: number
  /** A new secret waits; until then `X-Svc-Signature` is made with the old one. */
  rotation: {
    /** ISO 8601, UTC, milliseconds. */
    promotes_at: string
  } | null
  /** Since when no attempt succeeded. */
  failing_since: string | null
  /** After four failures in a row new deliveries wait until then; retries go on. */
  cooling_until: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  /** Signs every delivery. Shown only now; kept encrypted. */
  secret: string
}

export interface Webhook {
  /** A UUIDv7. */
  id: string
  name: string
  url: string
  events: string[]
  /** Only events of this bucket; of moves either end counts. */
  bucket: string | null
  /** Only events of keys that start with it; needs `bucket`. */
  prefix: string | null
  enabled: boolean
  disabled_at: string | null
  /** Null where an administrator paused it. */
  disabled_reason: string | null
  /** Deliveries in flight to it at a time, over all replicas. */
  max_in_flight: number
  /** A new secret waits; until then `X-Svc-Signature` is made with the old one. */
  rotation: {
    /** ISO 8601, UTC, milliseconds. */
    promotes_at: string
  } | null
  /** Since when no attempt succeeded. */
  failing_since: string | null
  /** After four failures in a row new deliveries wait until then; retries go on. */
  cooling_until: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
}

export interface AuditFault {
  /** edited: not what was sealed. missing: the record of a link is gone. swapped: a genuine record stands at another’s place. forged: not written by this service. tail: the end of the chain is gone. gap: links are gone, or a record was kept out of the chain. checkpoint: a checkpoint or the head does not fit the chain, or is not signed by this service. retention: records were removed before their recorded time, or the settings ask for that without a record. */
  kind: 'edited' | 'missing' | 'swapped' | 'forged' | 'tail' | 'gap' | 'checkpoint' | 'retention'
  seq: number | null
  audit_id: string | null
  message: string
}

export interface AuditRecord {
  /** A UUIDv7. */
  id: string
  /** ISO 8601, UTC, milliseconds. */
  time: string
  action: string
  result: 'success' | 'denied' | 'failure'
  status_code: number | null
  error_code: string | null
  actor: {
    user_id: string | null
    email: string | null
    type: 'user' | 'public' | 'system' | 'cli'
  }
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
  details: Record<string, unknown>
}

export interface AuditVerification {
  /** Nothing was found in what was looked at. */
  ok: boolean
  /** It was looked at to the end; else go on with `from=<next_seq>`. */
  complete: boolean
  first_seq: number
  last_seq: number
  next_seq: number | null
  /** Records whose hash and MAC were computed anew. */
  checked: number
  /** Checkpoints whose signature was checked, those of the file included. */
  checkpoints: number
  /** Records that wait to be sealed. */
  pending: number
  /** The last link that retention has removed. */
  anchor: {
    seq: number
    /** SHA-256 in hex. */
    chain_hash: string
  } | null
  /** The last link, when it began. */
  head: {
    seq: number
    /** SHA-256 in hex. */
    chain_hash: string
  } | null
  fault_count: number
  first_fault: AuditFault | null
  /** The first hundred. */
  faults: AuditFault[]
  /** Ed25519 keys (base64url) of the checkpoints, for who checks them elsewhere. */
  keys: {
    id: string
    public_key: string
  }[]
}

/** Every operation: what its call takes and what it answers. */
export interface Operations {
  /** POST /auth/token: Log in with e-mail and password. */
  login: {
    call: {
      query?: {
        /** For browsers: the refresh token comes as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        /** The e-mail address. */
        username: string
        password: string
        /** If present, `password`. */
        grant_type?: string
        /** Ignored. */
        scope?: string
        /** Ignored. */
        client_id?: string
        /** Ignored. */
        client_secret?: string
      }
    }
    reply: TokenPair
  }
  /** POST /auth/refresh: Exchange a refresh token for new tokens. The refresh token is replaced at each exchange. Using a replaced one again ends the whole session, except within 30 seconds while its successor is unused: then the same successor is answered. */
  refresh: {
    call: {
      query?: {
        /** For browsers: the refresh token comes as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        /** Left out with `session=cookie`. */
        refresh_token?: string
      }
    }
    reply: TokenPair
  }
  /** POST /auth/logout: End this session, with all its access and refresh tokens. */
  logout: {
    call: object
    reply: undefined
  }
  /** GET /auth/me: Who you are and what you may do. */
  me: {
    call: object
    reply: Me
  }
  /** GET /auth/config: Which ways to sign in are on. */
  authConfig: {
    call: object
    reply: {
      local: boolean
      idp: boolean
      idp_name: string | null
      /** There is no administrator yet: the setup link that the service printed at its start makes one. */
      setup_required: boolean
    }
  }
  /** POST /auth/setup: Make the first administrator, with the token of the setup link. Once: the link is dead as soon as there is an administrator. Each start without one prints another link, and the one before it is dead. Answers the tokens of their first session. */
  setUp: {
    call: {
      query?: {
        /** For browsers: the refresh token comes as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        /** What follows `#` in the link. */
        token: string
        email: string
        display_name?: string
        /** 8–72 bytes of UTF-8 after NFKC. */
        password: string
      }
    }
    reply: TokenPair
  }
  /** GET /auth/login: Begin a login through the identity provider. Send the browser to `auth_url`. The answer also sets a cookie that ties the login to this browser for ten minutes. */
  idpLogin: {
    call: {
      query?: {
        /** A path of this site to come back to, with a one-time code in the fragment. */
        return_to?: string
      }
    }
    reply: {
      auth_url: string
    }
  }
  /** GET /auth/callback: Where the identity provider sends the browser back to. Answers tokens; a browser that came with `return_to` is sent there instead, with `#code=…` for `POST /auth/handoff`. */
  idpCallback: {
    call: {
      query?: {
        code?: string
        state?: string
        iss?: string
        error?: string
        error_description?: string
      }
    }
    reply: TokenPair
  }
  /** POST /auth/callback: The same, for providers that answer with a form. The form comes from another site, so the browser leaves our cookie out; it is sent on to the GET form. */
  idpCallbackPost: {
    call: {
      body: {
        code?: string
        state?: string
        iss?: string
        error?: string
        error_description?: string
      }
    }
    reply: TokenPair
  }
  /** POST /auth/handoff: Exchange the code of a finished browser login for tokens. Once, within 60 seconds, and only in the browser that began the login: its cookie comes along. */
  redeemHandoff: {
    call: {
      query?: {
        /** For browsers: the refresh token comes as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        code: string
      }
    }
    reply: TokenPair
  }
  /** POST /auth/password: Change your password. Ends every session of yours, this one too, and answers the tokens of a new one. Personal access tokens stay. */
  changePassword: {
    call: {
      query?: {
        /** For browsers: the refresh token comes as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        current_password: string
        /** 8–72 bytes of UTF-8 after NFKC. */
        new_password: string
      }
    }
    reply: TokenPair
  }
  /** GET /auth/sessions: Where you are signed in, latest first. */
  listSessions: {
    call: {
      query?: {
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<{
      /** A UUIDv7. */
      id: string
      auth_method: 'local' | 'idp'
      ip: string | null
      user_agent: string | null
      /** ISO 8601, UTC, milliseconds. */
      created_at: string
      /** ISO 8601, UTC, milliseconds. */
      last_used_at: string
      /** ISO 8601, UTC, milliseconds. */
      expires_at: string
      /** The one that asks. */
      current: boolean
    }>
  }
  /** DELETE /auth/sessions/{id}: Sign out one of your sessions. */
  endSession: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /tokens: Create a personal access token. It acts as you, with the rights you have at each request. At most 50 live ones a person. */
  createToken: {
    call: {
      body: {
        name: string
        /** `30d`, `90d`, `365d`, seconds (a number, or a text of digits; at most ten years) or `never`. */
        expires_in?: '30d' | '90d' | '365d' | 'never' | number | string
      }
    }
    reply: NewToken
  }
  /** GET /tokens: List your personal access tokens, latest first. */
  listTokens: {
    call: {
      query?: {
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<Token>
  }
  /** DELETE /tokens/{id}: Revoke a personal access token. Takes effect on the next request. With `cascade` the tokens created with it, and with those, are revoked too. Administrators may revoke anyone’s. */
  revokeToken: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        cascade?: boolean
      }
    }
    reply: undefined
  }
  /** POST /tokens/{id}/rotate: Give a token of yours a new value. Name, expiry and lineage stay. The old value dies at once, or after a grace of up to a day. */
  rotateToken: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        /** How long the old value still works. */
        grace_seconds?: number
      }
    }
    reply: NewToken
  }
  /** GET /users/{id}/tokens: List a user’s personal access tokens, latest first. */
  listUserTokens: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<Token>
  }
  /** POST /buckets: Create a bucket. */
  createBucket: {
    call: {
      body: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        name: string
        quota_gb?: number | null
        /** Days that deleted and overwritten contents stay restorable; 0 switches the trash off. */
        trash_days?: number
      }
    }
    reply: Bucket
  }
  /** GET /buckets: List the buckets you have a grant on. */
  listBuckets: {
    call: {
      query?: {
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<Bucket>
  }
  /** GET /buckets/{bucket}: Get a bucket. */
  getBucket: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
    }
    reply: Bucket
  }
  /** PATCH /buckets/{bucket}: Change a bucket's quota or trash days. A quota below what is used is allowed: nothing is lost, only growth is refused. `null` lifts the quota. */
  updateBucket: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        quota_gb?: number | null
        /** Days that deleted and overwritten contents stay restorable; 0 switches the trash off. */
        trash_days?: number
      }
    }
    reply: Bucket
  }
  /** DELETE /buckets/{bucket}: Delete an empty bucket. Its trash goes with it. */
  deleteBucket: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
    }
    reply: undefined
  }
  /** GET /usage: Totals over the buckets you have a grant on, and each. */
  usage: {
    call: object
    reply: {
      used_bytes: number
      object_count: number
      trash_bytes: number
      buckets: ({
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        name: string
        quota_gb: number | null
        used_bytes: number
        object_count: number
        trash_bytes: number
      })[]
    }
  }
  /** GET /usage/history: Usage over time, by hour or day, of the buckets you have a grant on. Days are kept for 400 days, hours for 35: that is also the most one request may span. Traffic is counted in memory and written every minute. */
  usageHistory: {
    call: {
      query?: {
        /** ISO 8601, UTC, milliseconds. */
        from?: string
        /** Excluded. Default: now. */
        to?: string
        /** Instead of `from`: so many days up to `to`. */
        days?: number
        step?: 'hour' | 'day'
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket?: string
        /** How many buckets are told apart: those that held most. The rest is added up. */
        top?: number
      }
    }
    reply: {
      /** ISO 8601, UTC, milliseconds. */
      from: string
      /** ISO 8601, UTC, milliseconds. */
      to: string
      step: 'hour' | 'day'
      /** The bucket that held most first. */
      series: ({
        /** Null: requests that are about no bucket. Only for administrators. */
        bucket: string | null
        /** The bucket is not there any more. Only for administrators. */
        deleted: boolean
        /** In order of time. A time at which the service did not run is missing. */
        points: UsagePoint[]
      })[]
      /** All further buckets together. */
      others: {
        buckets: number
        /** In order of time. A time at which the service did not run is missing. */
        points: UsagePoint[]
      } | null
      totals: {
        uploaded_bytes: number
        downloaded_bytes: number
        requests: number
      }
      /** Webhook deliveries of that time that failed for good. Null for who is no administrator. */
      failed_deliveries: number | null
    }
  }
  /** GET /usage/types: What is stored by content type, in the buckets you have a grant on. Counted in the background: hourly where a bucket changed in size or number, else daily. */
  usageTypes: {
    call: {
      query?: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket?: string
      }
    }
    reply: {
      /** The one with most bytes first. */
      items: ({
        /** In lower case, without parameters; null for all rarer ones together. */
        content_type: string | null
        used_bytes: number
        object_count: number
      })[]
      /** Of the bucket that was counted longest ago; null while none was counted. */
      counted_at: string | null
    }
  }
  /** GET /buckets/{bucket}/browse: Browse a folder. Folders (`common_prefixes`) and objects directly under `prefix`. By name both come in one byte order, page by page, at a cost that does not grow with the bucket. By size or time the folders come first. `offset` jumps; `cursor` reads on. `total` counts folders and objects; it is exact when `total_exact` says so (always with `offset`, or when the folder fits the page). */
  browse: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        offset?: number
        /** Items a page. */
        limit?: number
        sort?: 'name' | 'size' | 'modified'
        order?: 'asc' | 'desc'
        /** `first`: as a window shows a folder: folders before objects also by name, and the empty object that only marks the folder itself left out. */
        folders?: 'mixed' | 'first'
      }
    }
    reply: {
      prefix: string
      common_prefixes: string[]
      objects: StoredObject[]
      next_cursor: string | null
      total: number
      total_exact: boolean
      total_folders: number | null
    }
  }
  /** GET /buckets/{bucket}/objects: List all objects under a prefix, folders ignored. */
  listObjects: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Only keys that hold this text after the prefix, whatever its case. A page may be short and yet not the last: `next_cursor` tells. */
        search?: string
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        /** Items a page. */
        limit?: number
      }
    }
    reply: Page<StoredObject>
  }
  /** POST /buckets/{bucket}/objects: Upload files as a form. One or more file parts; each is stored as `prefix` + its file name. All are stored or none. */
  uploadForm: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
      }
      body: Bytes
    }
    reply: {
      items: StoredObject[]
    }
  }
  /** PUT /buckets/{bucket}/objects/{+key}: Store an object. The body is the contents. `If-None-Match: *` stores only a new key, `If-Match` only over that version. `x-meta-*` headers become metadata. What was there goes to the trash. */
  putObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      body: Bytes
    }
    reply: StoredObject
  }
  /** GET /buckets/{bucket}/objects/{+key}: Download an object. Takes Range (single and multiple) and the conditions of RFC 9110. */
  getObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** `1`: answer as an attachment. */
        download?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /buckets/{bucket}/objects/{+key}: An object's headers. The headers a download would have. */
  headObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** `1`: answer as an attachment. */
        download?: '0' | '1'
      }
    }
    reply: Response
  }
  /** DELETE /buckets/{bucket}/objects/{+key}: Delete an object. It goes to the trash. `permanent=true` destroys it and needs `manage`. */
  deleteObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        permanent?: boolean
      }
    }
    reply: undefined
  }
  /** PUT /buckets/{bucket}/object: Store an object (key in the query). The body is the contents. `If-None-Match: *` stores only a new key, `If-Match` only over that version. `x-meta-*` headers become metadata. What was there goes to the trash. */
  putObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      body: Bytes
    }
    reply: StoredObject
  }
  /** GET /buckets/{bucket}/object: Download an object (key in the query). Takes Range (single and multiple) and the conditions of RFC 9110. */
  getObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** `1`: answer as an attachment. */
        download?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /buckets/{bucket}/object: An object's headers (key in the query). The headers a download would have. */
  headObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** `1`: answer as an attachment. */
        download?: '0' | '1'
      }
    }
    reply: Response
  }
  /** DELETE /buckets/{bucket}/object: Delete an object (key in the query). It goes to the trash. `permanent=true` destroys it and needs `manage`. */
  deleteObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        permanent?: boolean
      }
    }
    reply: undefined
  }
  /** POST /buckets/{bucket}/objects/bulk-delete: Delete up to 1,000 objects. They go to the trash; `trash_ids` put them back. */
  bulkDelete: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        keys: string[]
      }
    }
    reply: DeleteResult
  }
  /** POST /buckets/{bucket}/objects/exists: Which of up to 1,000 keys are taken. Answers for keys the caller may list or read; before an upload, say. */
  objectsExist: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        keys: string[]
      }
    }
    reply: {
      items: ({
        key: string
        exists: boolean
        size: number | null
        etag: string | null
        last_modified: string | null
      })[]
    }
  }
  /** PATCH /buckets/{bucket}/objects/{+key}: Change the content type or metadata of an object. */
  updateObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      body: {
        content_type?: string
        /** Replaces all of it. At most 8 KiB. */
        metadata?: Record<string, string>
      }
    }
    reply: StoredObject
  }
  /** PATCH /buckets/{bucket}/object: Change the content type or metadata of an object (key in the query). */
  updateObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      body: {
        content_type?: string
        /** Replaces all of it. At most 8 KiB. */
        metadata?: Record<string, string>
      }
    }
    reply: StoredObject
  }
  /** POST /buckets/{bucket}/objects/copy: Copy an object into this bucket. Needs `read` on the source and `write` on the new key. No byte is copied: both share the contents. What was there goes to the trash. */
  copyObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        source_bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        source_key: string
        /** Default: the same key. */
        dest_key?: string
        /** Only where the key is free. */
        if_none_match?: '*'
      }
    }
    reply: StoredObject
  }
  /** POST /buckets/{bucket}/objects/move: Move or rename an object into this bucket. Needs `read` and `delete` on the source and `write` on the new key. */
  moveObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        source_bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        source_key: string
        /** Default: the same key. */
        dest_key?: string
        /** Only where the key is free. */
        if_none_match?: '*'
      }
    }
    reply: StoredObject
  }
  /** POST /buckets/{bucket}/objects/bulk-copy: Copy up to 1,000 objects into this bucket. */
  bulkCopy: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        source_bucket: string
        keys: string[]
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        dest_prefix?: string
        /** What is taken off the keys before `dest_prefix` is put in front. Default: all but the last segment. */
        source_prefix?: string
        /** Only where the key is free. */
        if_none_match?: '*'
      }
    }
    reply: BulkResult
  }
  /** POST /buckets/{bucket}/objects/bulk-move: Move up to 1,000 objects into this bucket. */
  bulkMove: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        source_bucket: string
        keys: string[]
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        dest_prefix?: string
        /** What is taken off the keys before `dest_prefix` is put in front. Default: all but the last segment. */
        source_prefix?: string
        /** Only where the key is free. */
        if_none_match?: '*'
      }
    }
    reply: BulkResult
  }
  /** GET /buckets/{bucket}/objects/archive: Download a folder or a selection as a zip. Streamed as it is read. What the caller may not read is left out. Without `prefix` and `keys` this is the object of the key `archive`. */
  archiveObjects: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        keys?: string[]
        download?: '0' | '1'
      }
    }
    reply: Response
  }
  /** POST /buckets/{bucket}/objects/archive: The same for a selection too long for a URL. */
  archiveSelection: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        keys: string[]
      }
    }
    reply: Response
  }
  /** POST /buckets/{bucket}/objects/presign: A URL that needs no credential. For one method on one key, within these limits, until it expires. It ends with the right or the account of whoever made it. */
  presignObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** GET allows HEAD too. */
        method?: 'GET' | 'PUT'
        /** `15m`, `1h`, `7d` or seconds; at most seven days. */
        expires_in?: string | number
        /** GET: always as an attachment. */
        download?: boolean
        /** GET: the name to save it by. */
        filename?: string
        /** GET: pages of this origin may show it in a frame, and it is never redirected to the storage. */
        embed?: boolean
        /** PUT: the only Content-Type taken. */
        content_type?: string
        /** PUT: the most bytes taken. */
        max_bytes?: number
      }
    }
    reply: {
      url: string
      method: 'GET' | 'PUT'
      expires_at: string
    }
  }
  /** GET /signed/{token}: Download by a presigned URL. */
  getSigned: {
    call: {
      params: {
        token: string
      }
    }
    reply: Response
  }
  /** HEAD /signed/{token}: Headers by a presigned URL. */
  headSigned: {
    call: {
      params: {
        token: string
      }
    }
    reply: Response
  }
  /** PUT /signed/{token}: Upload by a presigned URL. */
  putSigned: {
    call: {
      params: {
        token: string
      }
      body: Bytes
    }
    reply: StoredObject
  }
  /** GET /images/{bucket}/{+key}: An object as an image in another size or format. Reads JPEG, PNG, WebP, AVIF, GIF and TIFF by their contents, whatever they are called. The result is upright, in sRGB and free of metadata. Without `w`, `h`, `format` and `q` the object itself is given. */
  getImage: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: ImageQuery
    }
    reply: Response
  }
  /** HEAD /images/{bucket}/{+key}: An image's headers. Renders nothing: Content-Length is there only where the image was made before. */
  headImage: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: ImageQuery
    }
    reply: Response
  }
  /** GET /images/{bucket}: An object as an image in another size or format (key in the query). Reads JPEG, PNG, WebP, AVIF, GIF and TIFF by their contents, whatever they are called. The result is upright, in sRGB and free of metadata. Without `w`, `h`, `format` and `q` the object itself is given. */
  getImageByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** Width of the box in CSS pixels; one alone keeps the ratio. */
        w?: number
        /** Height of the box in CSS pixels; one alone keeps the ratio. */
        h?: number
        /** `auto` takes what `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: that of the source where we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. PNG has none. */
        q?: number
        /** How the picture gets into a box of `w` and `h`: whole inside of it (`contain`, `inside`), filling it with what juts out cut off (`cover`), distorted (`fill`), or whole with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may become larger than the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise and in other formats the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /images/{bucket}: An image's headers (key in the query). Renders nothing: Content-Length is there only where the image was made before. */
  headImageByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** Width of the box in CSS pixels; one alone keeps the ratio. */
        w?: number
        /** Height of the box in CSS pixels; one alone keeps the ratio. */
        h?: number
        /** `auto` takes what `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: that of the source where we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. PNG has none. */
        q?: number
        /** How the picture gets into a box of `w` and `h`: whole inside of it (`contain`, `inside`), filling it with what juts out cut off (`cover`), distorted (`fill`), or whole with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may become larger than the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise and in other formats the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** POST /buckets/{bucket}/upload/init: Begin an upload in parts. Reserves the size, where it is given, under the quota; where no part comes for an hour, only what has arrived, and each further part for itself. Each part is PUT to its URL, several at a time and in any order; unfinished uploads end after a day (setting `uploads.expire_hours`). */
  initUpload: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        file_size?: number
        content_type?: string
        metadata?: Record<string, string>
        part_size?: number
      }
    }
    reply: {
      /** A UUIDv7. */
      upload_id: string
      /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
      bucket: string
      /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
      key: string
      file_size: number | null
      /** Bytes of every part but the last. */
      part_size: number
      num_parts: number | null
      /** ISO 8601, UTC, milliseconds. */
      expires_at: string
      /** In order of part number; at most 1,000, the rest (and fresh ones) from `GET …/upload/{upload_id}`. */
      urls: string[]
    }
  }
  /** GET /buckets/{bucket}/upload/{upload_id}: What has arrived, and fresh URLs for the rest. To go on after a reload, or from another machine. */
  getUpload: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** A UUIDv7. */
        upload_id: string
      }
      query?: {
        /** First part number. */
        from?: number
        /** Part numbers. */
        limit?: number
      }
    }
    reply: {
      /** A UUIDv7. */
      upload_id: string
      /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
      bucket: string
      /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
      key: string
      file_size: number | null
      /** Bytes of every part but the last. */
      part_size: number
      num_parts: number | null
      /** ISO 8601, UTC, milliseconds. */
      expires_at: string
      /** ISO 8601, UTC, milliseconds. */
      created_at: string
      created_by: string | null
      received_parts: number
      received_bytes: number
      parts: {
        part_number: number
        size: number
        etag: string
      }[]
      /** Of the parts that are missing. */
      urls: {
        part_number: number
        /** PUT the bytes here, without a credential, and keep the `ETag`. */
        url: string
      }[]
    }
  }
  /** GET /buckets/{bucket}/upload: Uploads that are not finished, latest first. */
  listUploads: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<Upload>
  }
  /** POST /buckets/{bucket}/upload/complete: Make the parts an object. Costs the number of parts, not of bytes. Asked again it answers the same. 409 names parts that are missing or different. */
  completeUpload: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** A UUIDv7. */
        upload_id: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        parts: {
          part_number: number
          etag: string
        }[]
        if_none_match?: '*'
      }
    }
    reply: StoredObject
  }
  /** POST /buckets/{bucket}/upload/abort: Give an upload up and remove its parts. */
  abortUpload: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** A UUIDv7. */
        upload_id: string
      }
    }
    reply: undefined
  }
  /** PUT /parts/{token}: Upload one part by its URL. Needs `Content-Length`. Sending a part again replaces it. */
  putPart: {
    call: {
      params: {
        token: string
      }
      body: Bytes
    }
    reply: {
      part_number: number
      etag: string
      size: number
    }
  }
  /** POST /share/{bucket}/{+key}: Make a link to an object. Needs `share` and `read`. The limits may stand in the body or in the query. */
  shareObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** `15m`, `12h`, `7d`, seconds, or `never`; default and longest are settings. */
        expires_in?: string | number | string
        /** Asked of everyone who opens the link; at most 72 bytes. */
        password?: string
        max_downloads?: number
        filename?: string
        disposition?: 'inline' | 'attachment'
      }
      body?: {
        /** `15m`, `12h`, `7d`, seconds, or `never`; default and longest are settings. */
        expires_in?: string | number | string
        /** Asked of everyone who opens the link; at most 72 bytes. */
        password?: string
        max_downloads?: number
        filename?: string
        disposition?: 'inline' | 'attachment'
      }
    }
    reply: NewShare
  }
  /** POST /share/{bucket}: Make a link to an object (key in the query). */
  shareObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** `15m`, `12h`, `7d`, seconds, or `never`; default and longest are settings. */
        expires_in?: string | number | string
        /** Asked of everyone who opens the link; at most 72 bytes. */
        password?: string
        max_downloads?: number
        filename?: string
        disposition?: 'inline' | 'attachment'
      }
      body?: {
        /** `15m`, `12h`, `7d`, seconds, or `never`; default and longest are settings. */
        expires_in?: string | number | string
        /** Asked of everyone who opens the link; at most 72 bytes. */
        password?: string
        max_downloads?: number
        filename?: string
        disposition?: 'inline' | 'attachment'
      }
    }
    reply: NewShare
  }
  /** POST /share: Make a link to an object, a folder, a selection, or one that takes files. `upload` needs `share` and `write` under the prefix: strangers put files there, see nothing of what is in it, and never overwrite. */
  createShare: {
    call: {
      body: {
        kind: 'object' | 'folder' | 'selection' | 'upload'
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        keys?: string[]
        /** `15m`, `12h`, `7d`, seconds, or `never`; default and longest are settings. */
        expires_in?: string | number | string
        /** Asked of everyone who opens the link; at most 72 bytes. */
        password?: string
        max_downloads?: number
        filename?: string
        disposition?: 'inline' | 'attachment'
        max_file_bytes?: number
        max_total_bytes?: number
        max_files?: number
        /** Like `image/*`. By what the file is sent as. */
        content_types?: string[]
      }
    }
    reply: NewShare
  }
  /** GET /share: Your links, latest first; administrators see all. */
  listShares: {
    call: {
      query?: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket?: string
        /** Links to just this object. */
        key?: string
        /** `expired` counts in what was used up. */
        state?: 'active' | 'expired' | 'revoked'
        /** Part of the key, prefix, name to save as, or maker’s e-mail. */
        q?: string
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<Share>
  }
  /** PATCH /share/{id}: Change the limits of a link. */
  updateShare: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        /** `15m`, `12h`, `7d`, seconds, or `never`; default and longest are settings. */
        expires_in?: string | number | string
        password?: string | null
        max_downloads?: number | null
        filename?: string | null
        disposition?: 'inline' | 'attachment' | null
      }
    }
    reply: Share
  }
  /** DELETE /share/{id}: Revoke a link. Dead at the next request. Whoever has `manage` on its object may revoke it too. */
  revokeShare: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** GET /share/{id}/accesses: Who opened a link, latest first. */
  listShareAccesses: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        page?: number
        page_size?: number
      }
    }
    reply: NumberedPage<{
      /** A UUIDv7. */
      id: string
      /** ISO 8601, UTC, milliseconds. */
      time: string
      outcome: 'served' | 'continued' | 'uploaded' | 'wrong_password' | 'limit_spent'
      object_key: string | null
      ip: string | null
      user_agent: string | null
    }>
  }
  /** POST /public/s/{token}: Exchange the password of a link for a ticket. The ticket goes into the query of the link’s URLs, so that a browser can open and save what the link is of. It ends with the link, and with its password. */
  unlockShare: {
    call: {
      params: {
        token: string
      }
      body: {
        password: string
      }
    }
    reply: {
      ticket: string
      /** Seconds. */
      expires_in: number
    }
  }
  /** GET /public/s/{token}: Open a link. The object; of a folder or selection its listing as JSON. Expired, revoked, spent and unknown links are all 410. A password goes into `X-Share-Password` or HTTP Basic. Images take the parameters of the image proxy, `w` and `h` rounded up to one of fifty sizes, `q` to tens. `key` names an object of a folder or selection, as the path does. */
  openShare: {
    call: {
      params: {
        token: string
      }
      query?: {
        /** Stands for the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A folder or selection as a zip. */
        archive?: '1'
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        /** Items a page. */
        limit?: number
        download?: '0' | '1'
        /** To be shown in a frame of our own pages; its policy keeps it in a sandbox. */
        embed?: '1'
        /** What the link is, as JSON, for the page that shows it: spends nothing. */
        info?: '1'
        /** Width of the box in CSS pixels; one alone keeps the ratio. */
        w?: number
        /** Height of the box in CSS pixels; one alone keeps the ratio. */
        h?: number
        /** `auto` takes what `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: that of the source where we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. PNG has none. */
        q?: number
        /** How the picture gets into a box of `w` and `h`: whole inside of it (`contain`, `inside`), filling it with what juts out cut off (`cover`), distorted (`fill`), or whole with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may become larger than the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise and in other formats the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /public/s/{token}: Look at a link, which spends nothing. The object; of a folder or selection its listing as JSON. Expired, revoked, spent and unknown links are all 410. A password goes into `X-Share-Password` or HTTP Basic. Images take the parameters of the image proxy, `w` and `h` rounded up to one of fifty sizes, `q` to tens. `key` names an object of a folder or selection, as the path does. */
  headShare: {
    call: {
      params: {
        token: string
      }
      query?: {
        /** Stands for the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A folder or selection as a zip. */
        archive?: '1'
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        /** Items a page. */
        limit?: number
        download?: '0' | '1'
        /** To be shown in a frame of our own pages; its policy keeps it in a sandbox. */
        embed?: '1'
        /** What the link is, as JSON, for the page that shows it: spends nothing. */
        info?: '1'
        /** Width of the box in CSS pixels; one alone keeps the ratio. */
        w?: number
        /** Height of the box in CSS pixels; one alone keeps the ratio. */
        h?: number
        /** `auto` takes what `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: that of the source where we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. PNG has none. */
        q?: number
        /** How the picture gets into a box of `w` and `h`: whole inside of it (`contain`, `inside`), filling it with what juts out cut off (`cover`), distorted (`fill`), or whole with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may become larger than the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise and in other formats the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** GET /public/s/{token}/{+key}: Open an object of a folder or selection. The object; of a folder or selection its listing as JSON. Expired, revoked, spent and unknown links are all 410. A password goes into `X-Share-Password` or HTTP Basic. Images take the parameters of the image proxy, `w` and `h` rounded up to one of fifty sizes, `q` to tens. `key` names an object of a folder or selection, as the path does. */
  openShareEntry: {
    call: {
      params: {
        token: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** Stands for the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A folder or selection as a zip. */
        archive?: '1'
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        /** Items a page. */
        limit?: number
        download?: '0' | '1'
        /** To be shown in a frame of our own pages; its policy keeps it in a sandbox. */
        embed?: '1'
        /** What the link is, as JSON, for the page that shows it: spends nothing. */
        info?: '1'
        /** Width of the box in CSS pixels; one alone keeps the ratio. */
        w?: number
        /** Height of the box in CSS pixels; one alone keeps the ratio. */
        h?: number
        /** `auto` takes what `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: that of the source where we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. PNG has none. */
        q?: number
        /** How the picture gets into a box of `w` and `h`: whole inside of it (`contain`, `inside`), filling it with what juts out cut off (`cover`), distorted (`fill`), or whole with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may become larger than the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise and in other formats the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /public/s/{token}/{+key}: Open an object of a folder or selection. The object; of a folder or selection its listing as JSON. Expired, revoked, spent and unknown links are all 410. A password goes into `X-Share-Password` or HTTP Basic. Images take the parameters of the image proxy, `w` and `h` rounded up to one of fifty sizes, `q` to tens. `key` names an object of a folder or selection, as the path does. */
  headShareEntry: {
    call: {
      params: {
        token: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** Stands for the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A folder or selection as a zip. */
        archive?: '1'
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        /** Items a page. */
        limit?: number
        download?: '0' | '1'
        /** To be shown in a frame of our own pages; its policy keeps it in a sandbox. */
        embed?: '1'
        /** What the link is, as JSON, for the page that shows it: spends nothing. */
        info?: '1'
        /** Width of the box in CSS pixels; one alone keeps the ratio. */
        w?: number
        /** Height of the box in CSS pixels; one alone keeps the ratio. */
        h?: number
        /** `auto` takes what `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: that of the source where we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. PNG has none. */
        q?: number
        /** How the picture gets into a box of `w` and `h`: whole inside of it (`contain`, `inside`), filling it with what juts out cut off (`cover`), distorted (`fill`), or whole with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may become larger than the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise and in other formats the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** PUT /public/s/{token}/{+key}: Put a file in through a link that takes files. A name that is taken gets a number; nothing is ever overwritten. */
  receiveThroughShare: {
    call: {
      params: {
        token: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** Stands for the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
      }
      body: Bytes
    }
    reply: {
      name: string
      /** Bytes. */
      size: number
    }
  }
  /** PUT /public/s/{token}/{+key}: Put a file in through a link that takes files. A name that is taken gets a number; nothing is ever overwritten. */
  receiveThroughShareAtRoot: {
    call: {
      params: {
        token: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** Stands for the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
      }
      body: Bytes
    }
    reply: {
      name: string
      /** Bytes. */
      size: number
    }
  }
  /** GET /public/s/{token}: Open a link. The object; of a folder or selection its listing as JSON. Expired, revoked, spent and unknown links are all 410. A password goes into `X-Share-Password` or HTTP Basic. Images take the parameters of the image proxy, `w` and `h` rounded up to one of fifty sizes, `q` to tens. `key` names an object of a folder or selection, as the path does. */
  openShareAtRoot: {
    call: {
      params: {
        token: string
      }
      query?: {
        /** Stands for the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A folder or selection as a zip. */
        archive?: '1'
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        /** Items a page. */
        limit?: number
        download?: '0' | '1'
        /** To be shown in a frame of our own pages; its policy keeps it in a sandbox. */
        embed?: '1'
        /** What the link is, as JSON, for the page that shows it: spends nothing. */
        info?: '1'
        /** Width of the box in CSS pixels; one alone keeps the ratio. */
        w?: number
        /** Height of the box in CSS pixels; one alone keeps the ratio. */
        h?: number
        /** `auto` takes what `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: that of the source where we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. PNG has none. */
        q?: number
        /** How the picture gets into a box of `w` and `h`: whole inside of it (`contain`, `inside`), filling it with what juts out cut off (`cover`), distorted (`fill`), or whole with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may become larger than the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise and in other formats the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /public/s/{token}: Look at a link, which spends nothing. The object; of a folder or selection its listing as JSON. Expired, revoked, spent and unknown links are all 410. A password goes into `X-Share-Password` or HTTP Basic. Images take the parameters of the image proxy, `w` and `h` rounded up to one of fifty sizes, `q` to tens. `key` names an object of a folder or selection, as the path does. */
  headShareAtRoot: {
    call: {
      params: {
        token: string
      }
      query?: {
        /** Stands for the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A folder or selection as a zip. */
        archive?: '1'
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        /** Items a page. */
        limit?: number
        download?: '0' | '1'
        /** To be shown in a frame of our own pages; its policy keeps it in a sandbox. */
        embed?: '1'
        /** What the link is, as JSON, for the page that shows it: spends nothing. */
        info?: '1'
        /** Width of the box in CSS pixels; one alone keeps the ratio. */
        w?: number
        /** Height of the box in CSS pixels; one alone keeps the ratio. */
        h?: number
        /** `auto` takes what `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: that of the source where we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. PNG has none. */
        q?: number
        /** How the picture gets into a box of `w` and `h`: whole inside of it (`contain`, `inside`), filling it with what juts out cut off (`cover`), distorted (`fill`), or whole with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may become larger than the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise and in other formats the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** GET /public/s/{token}/{+key}: Open an object of a folder or selection. The object; of a folder or selection its listing as JSON. Expired, revoked, spent and unknown links are all 410. A password goes into `X-Share-Password` or HTTP Basic. Images take the parameters of the image proxy, `w` and `h` rounded up to one of fifty sizes, `q` to tens. `key` names an object of a folder or selection, as the path does. */
  openShareEntryAtRoot: {
    call: {
      params: {
        token: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** Stands for the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A folder or selection as a zip. */
        archive?: '1'
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        /** Items a page. */
        limit?: number
        download?: '0' | '1'
        /** To be shown in a frame of our own pages; its policy keeps it in a sandbox. */
        embed?: '1'
        /** What the link is, as JSON, for the page that shows it: spends nothing. */
        info?: '1'
        /** Width of the box in CSS pixels; one alone keeps the ratio. */
        w?: number
        /** Height of the box in CSS pixels; one alone keeps the ratio. */
        h?: number
        /** `auto` takes what `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: that of the source where we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. PNG has none. */
        q?: number
        /** How the picture gets into a box of `w` and `h`: whole inside of it (`contain`, `inside`), filling it with what juts out cut off (`cover`), distorted (`fill`), or whole with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may become larger than the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise and in other formats the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /public/s/{token}/{+key}: Open an object of a folder or selection. The object; of a folder or selection its listing as JSON. Expired, revoked, spent and unknown links are all 410. A password goes into `X-Share-Password` or HTTP Basic. Images take the parameters of the image proxy, `w` and `h` rounded up to one of fifty sizes, `q` to tens. `key` names an object of a folder or selection, as the path does. */
  headShareEntryAtRoot: {
    call: {
      params: {
        token: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** Stands for the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A folder or selection as a zip. */
        archive?: '1'
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        /** Items a page. */
        limit?: number
        download?: '0' | '1'
        /** To be shown in a frame of our own pages; its policy keeps it in a sandbox. */
        embed?: '1'
        /** What the link is, as JSON, for the page that shows it: spends nothing. */
        info?: '1'
        /** Width of the box in CSS pixels; one alone keeps the ratio. */
        w?: number
        /** Height of the box in CSS pixels; one alone keeps the ratio. */
        h?: number
        /** `auto` takes what `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: that of the source where we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. PNG has none. */
        q?: number
        /** How the picture gets into a box of `w` and `h`: whole inside of it (`contain`, `inside`), filling it with what juts out cut off (`cover`), distorted (`fill`), or whole with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may become larger than the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise and in other formats the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** POST /jobs: Copy, move or delete a folder or a large selection, or put back what a job deleted or moved. Works in the background on what there is when it begins, with the rights of its creator, which are asked again as it goes on. What has been overwritten, described anew or put there since is left alone, as an error: `changed`. Every object has its own audit record and event. `restore` undoes a `delete`, `empty_bucket` or `move` of yours that is over (`of`) and takes nothing else. Of a deletion it puts back what is still in the trash, which needs `write` on each key; of a move, for a week, what is still where it was moved to and has the same contents, with the rights that a move needs, and what the move overwrote. What it cannot put back stays where it is, as an error: `already_exists` where the key is taken. At most 100 of your jobs may wait or run at a time (`limit_reached`). */
  createJob: {
    call: {
      body: {
        kind: 'copy' | 'move' | 'delete' | 'empty_bucket' | 'restore'
        /** Required but for `restore`. */
        source_bucket?: string
        /** The job that is to be undone (restore). */
        of?: string
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Only keys that hold this text, whatever its case. */
        search?: string
        /** Keys to leave out; what ends with a slash leaves out the whole folder. */
        exclude?: string[]
        /** In place of a prefix. */
        keys?: string[]
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        dest_bucket?: string
        /** Takes the place of `prefix` in the keys (copy, move). */
        dest_prefix?: string
        /** Leaves keys that are taken alone, as an error. */
        if_none_match?: '*'
      }
    }
    reply: Job
  }
  /** GET /jobs: Your jobs, latest first; administrators see all. */
  listJobs: {
    call: {
      query?: {
        status?: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<Job>
  }
  /** GET /jobs/{id}: How far a job is. */
  getJob: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Job
  }
  /** POST /jobs/{id}/cancel: Stop a job. What is done stays done. */
  cancelJob: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Job
  }
  /** POST /policies: Create a cleanup policy. Needs `policy` on all that the patterns and the prefix cover. At least one of `glob`, `older_than_days`, `min_size` and `keep_newest` is required; an object is deleted when all of those given say so. */
  createPolicy: {
    call: {
      body: {
        name: string
        bucket_patterns: string[]
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        glob?: string | null
        older_than_days?: number | null
        min_size?: number | null
        keep_newest?: number | null
        max_deletes?: number | null
        max_delete_percent?: number | null
        cron?: string | null
        /** An IANA name. */
        timezone?: string
        enabled?: boolean
      }
    }
    reply: Policy
  }
  /** GET /policies: Policies you may change, latest first. */
  listPolicies: {
    call: {
      query?: {
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<Policy>
  }
  /** POST /policies/preview: What a policy would delete now, without saving it. Looks at up to 100,000 objects; `complete` says whether these were all. Needs `policy` and `delete` on all that is in scope. */
  previewPolicy: {
    call: {
      body: {
        name?: string
        bucket_patterns: string[]
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        glob?: string | null
        older_than_days?: number | null
        min_size?: number | null
        keep_newest?: number | null
        max_deletes?: number | null
        max_delete_percent?: number | null
        cron?: string | null
        /** An IANA name. */
        timezone?: string
        enabled?: boolean
      }
    }
    reply: {
      /** ISO 8601, UTC, milliseconds. */
      cutoff: string
      complete: boolean
      examined: number
      matched: number
      bytes: number
      oldest: string | null
      newest: string | null
      /** Objects in scope that stay, by the first condition that keeps them. */
      excluded: {
        glob: number
        min_size: number
        keep_newest: number
        older_than_days: number
      }
      sample: string[]
      /** The sample with what there is to know of each. */
      objects: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        size: number
        /** ISO 8601, UTC, milliseconds. */
        last_modified: string
      }[]
      would_stop: string | null
      /** The next five times of the schedule. */
      next_runs: string[]
    }
  }
  /** GET /policies/{id}: A policy. */
  getPolicy: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Policy
  }
  /** PATCH /policies/{id}: Change a policy. What is left out stays; null takes a condition, a limit or the schedule away. Whoever changes it becomes its author, with whose rights it runs. A run of it that is not over stops. */
  updatePolicy: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        name?: string
        bucket_patterns?: string[]
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        glob?: string | null
        older_than_days?: number | null
        min_size?: number | null
        keep_newest?: number | null
        max_deletes?: number | null
        max_delete_percent?: number | null
        cron?: string | null
        /** An IANA name. */
        timezone?: string
        enabled?: boolean
      }
    }
    reply: Policy
  }
  /** DELETE /policies/{id}: Delete a policy with its history. A run of it that is not over is cancelled. What was deleted stays in the trash and in the audit log. */
  deletePolicy: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /policies/{id}/run: Run a policy now, or try what a run would do. Answers 200 with the run when it is over within two seconds, else 202. With `of` it deletes exactly what that dry run listed, without what has changed since. Works with the rights of the author of the policy. One run of a policy at a time (409). The options may be in the query or in the body. */
  runPolicy: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        dry_run?: boolean
        /** A dry run of the policy as it is now. */
        of?: string
      }
      body?: {
        dry_run?: boolean
        /** A dry run of the policy as it is now. */
        of?: string
      }
    }
    reply: PolicyRun
  }
  /** GET /policies/{id}/runs: Runs of a policy, latest first. */
  listPolicyRuns: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<PolicyRun>
  }
  /** GET /policies/{id}/runs/{run_id}: A run of a policy. */
  getPolicyRun: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        run_id: string
      }
    }
    reply: PolicyRun
  }
  /** GET /policies/{id}/runs/{run_id}/items: Every object a run matched and what became of it. Only objects the caller may list. A page may be short and yet not the last: `next_cursor` tells. Kept for 30 days. */
  listPolicyRunItems: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        run_id: string
      }
      query?: {
        outcome?: 'matched' | 'pending' | 'deleted' | 'kept_changed' | 'gone' | 'not_reached'
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<{
      /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
      bucket: string
      /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
      key: string
      size: number
      /** ISO 8601, UTC, milliseconds. */
      last_modified: string
      etag: string
      outcome: 'matched' | 'pending' | 'deleted' | 'kept_changed' | 'gone' | 'not_reached'
    }>
  }
  /** POST /policies/{id}/runs/{run_id}/cancel: Stop a run. Before its next step. What is deleted stays in the trash. */
  cancelPolicyRun: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        run_id: string
      }
    }
    reply: PolicyRun
  }
  /** GET /buckets/{bucket}/policies: Which policies will delete an object, when and why. Policies that match the object now or will once it is old enough. Needs `read` on the key. */
  explainPolicies: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
    }
    reply: {
      items: ({
        /** A UUIDv7. */
        policy_id: string
        name: string
        enabled: boolean
        matches_now: boolean
        /** From when on it matches; null while the folder keeps it as one of its newest. */
        matches_at: string | null
        /** Null: it runs only when asked to. */
        next_run_at: string | null
        /** The first time of the schedule at which it matches. */
        deletes_at: string | null
        reason: string
      })[]
    }
  }
  /** GET /buckets/{bucket}/trash: List deleted and overwritten contents, latest first. */
  listTrash: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        /** Items a page. */
        limit?: number
      }
    }
    reply: Page<TrashItem>
  }
  /** POST /buckets/{bucket}/trash/restore: Put contents of the trash back. All of the ids or none; 413 says that the quota has no room. Needs `write` on each key. `on_conflict` says what happens where another object has the key: `fail` (the default) answers 409 and names them. `replace` puts what is there into the trash as overwritten; where the bucket keeps no trash it would be lost, so `delete` and `manage` on the key are needed too. `keep_both` restores under a free name beside it, as in `report (restored).pdf`. Of two ids with one key, `fail` and `replace` answer 409; `keep_both` gives the key to the one that came into the trash last. */
  restoreTrash: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        ids: string[]
        on_conflict?: 'fail' | 'replace' | 'keep_both'
      }
    }
    reply: {
      items: StoredObject[]
      restored: RestoredItem[]
    }
  }
  /** POST /buckets/{bucket}/trash/purge: Destroy contents of the trash for good. The named ids, or with `all` everything in the trash (at most 10,000 a call: `more` says whether some is left). */
  purgeTrash: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        ids: string[]
      } | {
        all: true
      }
    }
    reply: {
      purged: number
      bytes: number
      more: boolean
    }
  }
  /** POST /users: Create a user. Whoever is not an administrator can put them only into groups whose rights they have themselves. */
  createUser: {
    call: {
      body: {
        email: string
        display_name: string
        /** 8–72 bytes of UTF-8 after NFKC. */
        password?: string
        group_ids?: string[]
      }
    }
    reply: User
  }
  /** GET /users: List users by e-mail. */
  listUsers: {
    call: {
      query?: {
        /** Part of the e-mail address or the name. */
        q?: string
        /** A UUIDv7. */
        group_id?: string
        /** Only active, or only disabled ones. */
        active?: boolean
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<User>
  }
  /** GET /users/idp/search: Search the user directory of the identity provider. */
  searchDirectory: {
    call: {
      query: {
        /** 2–100 characters, trimmed. */
        q: string
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
        limit?: number
      }
    }
    reply: Page<DirectoryPerson>
  }
  /** POST /users/idp/import: Make accounts for people of the directory before they log in. Each is looked up by its id; they belong to no group. Repeating it is harmless. */
  importUsers: {
    call: {
      body: {
        external_ids: string[]
      }
    }
    reply: {
      items: ({
        external_id: string
        result: 'created' | 'exists' | 'not_found' | 'email_in_use' | 'no_email' | 'disabled'
        user_id: string | null
      })[]
    }
  }
  /** GET /users/{id}: One user. */
  getUser: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: User
  }
  /** PATCH /users/{id}: Change, disable or enable a user. Disabling and a new password end every session of theirs at once; personal access tokens survive a new password and rest while they are disabled. The last administrator who can log in stays one. */
  updateUser: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        email?: string
        display_name?: string
        is_active?: boolean
        password?: string | null
        group_ids?: string[]
        idp_subject?: string | null
      }
    }
    reply: User
  }
  /** DELETE /users/{id}: Delete a user. Ends their sessions, tokens and links at once. What they uploaded stays, and so does the audit log. */
  deleteUser: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** DELETE /users/{id}/sessions: Sign a user out everywhere. */
  endUserSessions: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /groups: Create a group with its grants. Only administrators may give rights; others create groups without any. */
  createGroup: {
    call: {
      body: {
        name: string
        description?: string
        global?: ('admin' | 'users.manage')[]
        grants?: ({
          /** A bucket name; `*` is any run of characters, at most three of them. */
          bucket_pattern: string
          /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
          actions?: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create')[]
          /** A named set, in place of `actions`. */
          preset?: 'viewer' | 'uploader' | 'editor' | 'publisher' | 'owner'
        })[]
      }
    }
    reply: Group
  }
  /** GET /groups: List groups by name. */
  listGroups: {
    call: {
      query?: {
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<Group>
  }
  /** GET /groups/{id}: One group. */
  getGroup: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Group
  }
  /** PATCH /groups/{id}: Change a group. `grants` and `global` replace what was there, and act on the next request; administrators only. */
  updateGroup: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        name?: string
        description?: string
        global?: ('admin' | 'users.manage')[]
        grants?: ({
          /** A bucket name; `*` is any run of characters, at most three of them. */
          bucket_pattern: string
          /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
          actions?: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create')[]
          /** A named set, in place of `actions`. */
          preset?: 'viewer' | 'uploader' | 'editor' | 'publisher' | 'owner'
        })[]
      }
    }
    reply: Group
  }
  /** DELETE /groups/{id}: Delete a group. */
  deleteGroup: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        /** Delete it although it has members. */
        force?: boolean
      }
    }
    reply: undefined
  }
  /** GET /groups/{id}/members: List the members of a group by e-mail. */
  listMembers: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: Page<User>
  }
  /** POST /groups/{id}/members: Add members to a group. You need to have every right of the group yourself. */
  addMembers: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        user_ids: string[]
      }
    }
    reply: Group
  }
  /** PUT /groups/{id}/members: Set the members of a group. */
  replaceMembers: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        user_ids: string[]
      }
    }
    reply: Group
  }
  /** DELETE /groups/{id}/members: Remove members from a group. */
  removeMembers: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        user_ids: string[]
      }
    }
    reply: Group
  }
  /** GET /permissions/explain: Whether a user may do something, and through which groups and grants. Anyone may ask about themselves; asking about others needs `users.manage`. */
  explainPermission: {
    call: {
      query: {
        /** A UUIDv7. */
        user_id?: string
        action: 'list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create'
        bucket: string
        /** The beginning of a key, 0–1024 bytes of UTF-8 without NUL. */
        key?: string
      }
    }
    reply: {
      allowed: boolean
      /** The same in a sentence. */
      reason: string
      via: ({
        /** A UUIDv7. */
        group_id: string
        group: string
        /** Null: the group is an administrators’ one. */
        grant: {
          /** A UUIDv7. */
          id: string
          /** A bucket name; `*` is any run of characters, at most three of them. */
          bucket_pattern: string
          prefix: string
          actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create')[]
          preset: 'viewer' | 'uploader' | 'editor' | 'publisher' | 'owner' | null
        } | null
      })[]
    }
  }
  /** GET /settings: The runtime settings. */
  getSettings: {
    call: object
    reply: Settings
  }
  /** PATCH /settings: Change runtime settings. Only what is named changes, on the next request of every replica. What would lock the last administrator out is refused, and so is a field that an environment variable sets. */
  updateSettings: {
    call: {
      body: SettingsChange
    }
    reply: Settings
  }
  /** POST /settings/test-idp: Ask the identity provider for its discovery document, now. */
  testIdp: {
    call: object
    reply: {
      issuer: string
      authorization_endpoint: string
      /** What to register at the provider. */
      redirect_uri: string
    }
  }
  /** POST /webhooks: Register an endpoint that is told of events. The answer holds the secret that signs its deliveries, and is the only one that does. */
  createWebhook: {
    call: {
      body: {
        name: string
        /** Receives the POSTs: http or https, without credentials and fragment, at an address that is allowed. */
        url: string
        /** Names of events, or `*` for all. */
        events: string[]
        /** Only events of this bucket; of moves either end counts. */
        bucket?: string | null
        /** Only events of keys that start with it; needs `bucket`. */
        prefix?: string | null
        /** Deliveries in flight to it at a time, over all replicas. */
        max_in_flight?: number
        enabled?: boolean
      }
    }
    reply: NewWebhook
  }
  /** GET /webhooks: All endpoints, latest first. */
  listWebhooks: {
    call: {
      query?: {
        /** Items a page. */
        limit?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: {
      items: ListedWebhook[]
      next_cursor: string | null
      /** False where webhooks are switched off (`WEBHOOKS_ENABLED`). */
      sending: boolean
    }
  }
  /** GET /webhooks/events: Every event there is, with the JSON Schema of its body. */
  listEvents: {
    call: object
    reply: {
      items: ({
        name: 'upload' | 'copy' | 'move' | 'update_object' | 'delete' | 'restore' | 'create_bucket' | 'update_bucket' | 'delete_bucket' | 'user_create' | 'user_update' | 'user_delete' | 'user_import' | 'group_create' | 'group_update' | 'group_delete' | 'token_create' | 'token_revoke' | 'token_rotate' | 'share_create' | 'share_update' | 'share_revoke' | 'policy_create' | 'policy_update' | 'policy_delete' | 'policy_run' | 'settings_update' | 'webhook_create' | 'webhook_update' | 'webhook_delete' | 'webhook_disabled' | 'webhook_rotate' | 'webhook_promote' | 'ping'
        summary: string
        schema: Record<string, unknown>
      })[]
    }
  }
  /** GET /webhooks/{id}: One endpoint. */
  getWebhook: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Webhook
  }
  /** PATCH /webhooks/{id}: Change, pause or resume an endpoint. While `enabled` is false nothing new is queued for it and what is queued waits, for seven days at most. Enabling forgets its failures. */
  updateWebhook: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        name?: string
        /** Receives the POSTs: http or https, without credentials and fragment, at an address that is allowed. */
        url?: string
        /** Names of events, or `*` for all. */
        events?: string[]
        /** Only events of this bucket; of moves either end counts. */
        bucket?: string | null
        /** Only events of keys that start with it; needs `bucket`. */
        prefix?: string | null
        /** Deliveries in flight to it at a time, over all replicas. */
        max_in_flight?: number
        enabled?: boolean
      }
    }
    reply: Webhook
  }
  /** DELETE /webhooks/{id}: Delete an endpoint, its queue and its log. */
  deleteWebhook: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /webhooks/{id}/rotate-secret: Make a new secret. During the grace period `X-Svc-Signature` stays signed with the old secret, `X-Svc-Signature-Next` carries the new one and `webhook-signature` both. */
  rotateWebhookSecret: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body?: {
        /** 0: the new secret signs at once. */
        grace_seconds?: number
      }
    }
    reply: NewWebhook
  }
  /** POST /webhooks/{id}/promote: End the grace period: from now on the new secret signs. */
  promoteWebhookSecret: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Webhook
  }
  /** POST /webhooks/{id}/test: Send a `ping` to an endpoint, also to one that is disabled. */
  testWebhook: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Delivery
  }
  /** POST /webhooks/{id}/recover: Queue all failed deliveries of a time anew, each with a whole schedule of attempts. */
  recoverWebhook: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        /** ISO 8601, UTC, milliseconds. */
        since: string
        /** ISO 8601, UTC, milliseconds. */
        until?: string
      }
    }
    reply: {
      /** At most 10,000; asked again it takes the next. */
      requeued: number
    }
  }
  /** GET /webhooks/{id}/deliveries: Deliveries of an endpoint, latest first. */
  listDeliveries: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        status?: 'queued' | 'acknowledged' | 'failed'
        event?: string
        page?: number
        page_size?: number
      }
    }
    reply: {
      items: Delivery[]
      total: number
      page: number
      page_size: number
      /** Counting stops at 10,000 matches. */
      total_is_estimate: boolean
    }
  }
  /** GET /webhooks/{id}/deliveries/{delivery_id}: A delivery with its body and every attempt. */
  getDelivery: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        delivery_id: string
      }
    }
    reply: {
      /** A UUIDv7. */
      id: string
      event: string
      status: 'queued' | 'acknowledged' | 'failed'
      attempts: number
      last_status_code: number | null
      last_error: string | null
      /** ISO 8601, UTC, milliseconds. */
      created_at: string
      next_attempt_at: string | null
      acknowledged_at: string | null
      /** Exactly what is signed and sent at every attempt. */
      body: string
      attempt_log: Attempt[]
    }
  }
  /** POST /webhooks/{id}/deliveries/{delivery_id}/resend: Send a delivery once more, with the same id and body. One attempt, beside any schedule. Not while it is queued or in flight. */
  resendDelivery: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        delivery_id: string
      }
    }
    reply: Delivery
  }
  /** GET /audit: Search the audit log, latest first. Pages by number cost more the deeper they are; `cursor` reads on from the page before at the cost of one. */
  listAudit: {
    call: {
      query?: {
        /** Repeat it to ask for several actions. */
        action?: string[]
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket?: string
        object_key_prefix?: string
        /** A UUIDv7. */
        user_id?: string
        email?: string
        result?: 'success' | 'denied' | 'failure'
        auth_method?: 'local' | 'idp' | 'pat' | 'presigned' | 'share_link' | 'setup' | 'system' | 'cli'
        /** A UUIDv7. */
        token_id?: string
        ip?: string
        request_id?: string
        /** ISO 8601, UTC, milliseconds. */
        from?: string
        /** ISO 8601, UTC, milliseconds. */
        to?: string
        page?: number
        page_size?: number
        /** Opaque; `next_cursor` of the page before. */
        cursor?: string
      }
    }
    reply: {
      items: AuditRecord[]
      total: number
      page: number
      page_size: number
      /** Counting stops at 10,000 matches. */
      total_is_estimate: boolean
      next_cursor: string | null
    }
  }
  /** GET /audit/{id}: One record. */
  getAuditRecord: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: AuditRecord
  }
  /** GET /audit/export: The matching records as a file, latest first. Streamed however many there are: `ndjson` has one JSON record a line, `csv` a header and the details as JSON in the last column; cells that a spreadsheet would take for a formula begin with an apostrophe. An export is recorded as `audit_export`. */
  exportAudit: {
    call: {
      query?: {
        /** Repeat it to ask for several actions. */
        action?: string[]
        /** 3–63 of `a-z 0-9 . -`, beginning and ending with a letter or digit, no `..`, not an IP address. */
        bucket?: string
        object_key_prefix?: string
        /** A UUIDv7. */
        user_id?: string
        email?: string
        result?: 'success' | 'denied' | 'failure'
        auth_method?: 'local' | 'idp' | 'pat' | 'presigned' | 'share_link' | 'setup' | 'system' | 'cli'
        /** A UUIDv7. */
        token_id?: string
        ip?: string
        request_id?: string
        /** ISO 8601, UTC, milliseconds. */
        from?: string
        /** ISO 8601, UTC, milliseconds. */
        to?: string
        format?: 'ndjson' | 'csv'
      }
    }
    reply: Response
  }
  /** GET /audit/verify: Whether anyone changed the audit log. Computes every hash anew, a few hundred records at a time so that other requests go on, for at most `seconds`. Where that was not enough, `next_seq` says where to go on. */
  verifyAudit: {
    call: {
      query?: {
        /** The first link to look at. Default: the first there is. */
        from?: number
        seconds?: number
      }
    }
    reply: AuditVerification
  }
  /** GET /healthz: The process is alive. */
  healthz: {
    call: object
    reply: {
      status: 'ok'
    }
  }
  /** GET /readyz: The database and the storage answer. */
  readyz: {
    call: object
    reply: {
      status: 'ready' | 'not_ready'
      database: {
        ok: boolean
        error?: string
      }
      storage: {
        ok: boolean
        error?: string
      }
    }
  }
  /** GET /metrics: What a Prometheus collects. In the text format of Prometheus. For `METRICS_TOKEN`, for administrators, and for the machine itself while nothing says that the service is published. */
  metrics: {
    call: object
    reply: Response
  }
}
