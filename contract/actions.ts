import type { KmsKey } from './encryption.ts'
import type { MailKind } from './mail.ts'

/** What S3 clients do too: their requests say so. */
interface Fronted {
  via?: 's3'
}
/** One of an operation's many objects: all its records share the id; for a job, the job's id. */
interface Bulk {
  bulk_id?: string
  job_id?: string
}
/** An object stored under its key; what it replaced is in the trash under `trash_id`, or a version before `version_id`. */
interface Placed extends Fronted {
  size: number
  etag: string
  replaced: boolean
  trash_id?: string
  version_id?: string
}
/** The record's bucket and key are the destination. */
type Transferred = Placed & Bulk & { source: { bucket: string; key: string } }

/** How long a version is kept. */
interface Retained {
  mode: 'governance' | 'compliance'
  until: string
}

interface PolicyRunDetails {
  policy_id: string
  name: string
  run_id: string
  dry_run: boolean
  trigger: 'manual' | 'schedule'
  status: string
  reason: string | null
  examined: number
  matched: number
  deleted: number
  bytes: number
  kept: number
  /** Whose permissions it ran with. */
  author: { user_id: string; email: string | null }
}

interface InventoryRunDetails {
  inventory_id: string
  name: string
  run_id: string
  trigger: 'manual' | 'schedule'
  status: string
  reason: string | null
  moment: string | null
  /** The bucket, and the key in it. */
  destination: string
  manifest: string | null
  files: number
  rows: number
  bytes: number
  /** Whose permissions it ran with. */
  author: { user_id: string; email: string | null }
}

/** A webhook endpoint; its URL without the query, where receivers keep tokens. */
interface WebhookDetails {
  name: string
  url: string
  events: readonly string[]
  bucket: string | null
  prefix: string | null
}

/** A storage; never its secret. */
interface StorageDetails {
  name: string
  kind: 's3' | 'file'
  endpoint: string | null
  region: string | null
  bucket: string | null
  prefix: string
  folder: string | null
  access_key_id: string | null
}

/** A key of a key service; never its secret. */
type KmsKeyDetails = Pick<KmsKey, 'name' | 'kind' | 'endpoint' | 'region' | 'key_id' | 'mount' | 'access_key_id'>

/** Through a share link; the rest is what the sender says, which nothing checks. */
export interface Sent {
  share_id: string
  sender_name?: string
  sender_message?: string
}

/** An agent; never its token or secret. */
interface AgentDetails {
  name: string
  token_prefix: string
  access_key_id: string
  scope: readonly object[]
  budget: object
  approval: object
  expires_at: string | null
}

/** A client that asks for access to the MCP server, as it describes itself. */
export interface OauthClientDetails {
  client_id: string
  client_name: string
  redirect_uri: string
}
/** Why an agent that a client made use of was revoked, if nobody signed in did it. */
export type AgentEnd = 'code_reuse' | 'refresh_reuse' | 'requested_by_client' | 'not_connected'

/** A request of an agent that a person has to agree to. */
interface ApprovalDetails {
  approval_id: string
  agent_id: string
  agent: string
  reason: string
  objects: number
  bytes: number
}

/** A policy of users, groups and roles. */
interface IdentityPolicyDetails {
  name: string
  of: { kind: 'user' | 'group' | 'role'; id: string; name: string } | null
}

interface ScanDetails {
  scan_id: string
  trigger: 'attach' | 'request' | 'schedule' | 'take_over'
  status: 'succeeded' | 'held'
  held_reason: string | null
  seen: number
  added: number
  changed: number
  absent: number
  missing: number
  removed: number
  refused: number
}

/**
 * Every action with the details it records. A name here is the audit action and the webhook event. Details may be of
 * any length: long ones are split into several records (contract/details.ts), which reserves the name `part`.
 */
export interface ActionDetails {
  upload: Placed & { content_type: string; parts?: number } & Partial<Sent>
  copy: Transferred
  move: Transferred
  update_object: { before: object; after: object; version_id?: string } & Bulk & Fronted
  /**
   * Deleted by a policy: `bulk_id` is its run's. Where versions are kept: what was current is one, `version_id`, behind the
   * delete marker with the version id `marker`; without `version_id` there was no object.
   */
  delete: {
    size: number
    permanent: boolean
    trash_id?: string
    policy_id?: string
    version_id?: string
    marker?: string
  } & Bulk &
    Fronted
  /** One version of a key was deleted; `marker`: it was a delete marker. */
  version_delete: {
    size: number
    version_id: string
    permanent?: boolean
    trash_id?: string
    policy_id?: string
    marker?: true
    /** The lock that the right `bypass_lock` did not count. */
    bypassed?: Retained
  } & Bulk &
    Fronted
  /** The lock of a version changed; null is none. */
  lock_update: { version_id: string; before: Retained | null; after: Retained | null; bypassed?: true } & Fronted
  legal_hold_update: { version_id: string; legal_hold: boolean } & Fronted
  /**
   * `original_key`: restored beside an object that has its key now. `replaced`: the object at the key was replaced, and
   * is in the trash as `replaced_trash_id` unless the bucket keeps none. `of_version`: not from the trash, but a version
   * that became current again as `version_id`. `to`: a rollback made the key what it was at this moment.
   */
  restore: {
    size: number
    to?: string
    trash_id?: string
    of_version?: string
    version_id?: string
    original_key?: string
    replaced?: true
    replaced_trash_id?: string
  } & Bulk
  create_bucket: {
    quota_gb: number | null
    history_quota_gb?: number | null
    quota_includes_history?: boolean
    trash_days: number
    versioning?: string
    object_lock?: object | null
    encryption?: object | null
    /** Unless it is the default one. */
    storage?: string
    /** Of an attached bucket, and what it shows of the engine's. */
    mode?: 'read_only'
    prefix?: string
    /** Of a fork, and when it is deleted. */
    from?: { bucket: string; moment: string; prefix: string }
    expires_at?: string | null
  } & Fronted
  update_bucket: { before: object; after: object } & Fronted
  /** `expired`: a fork whose time had come. `unfinished`: one that was not filled. */
  delete_bucket: { trash_bytes: number; bucket_id: string; reason?: 'expired' | 'unfinished' } & Fronted
  /** A moment of a bucket has a name from now on, and what it was then is kept. */
  snapshot_create: { name: string; moment: string; note?: string; expires_at: string | null }
  snapshot_delete: { name: string; moment: string; reason: 'requested' | 'expired' | 'policy' }
  /** A bucket holds `percent` of its quota; what open uploads have reserved counts, and `history_bytes` where it includes them. */
  quota_warning: {
    percent: number
    used_bytes: number
    reserved_bytes: number
    history_bytes?: number
    quota_gb: number
  }
  /** An attached bucket was detached; everything on the storage stays. */
  release_bucket: { storage: string; prefix: string; objects: number; bucket_id: string }
  /** Once per scan of an attached bucket, when it has ended. */
  scan: ScanDetails
  /** An administrator had a held scan mark what it did not find. */
  scan_confirm: { scan_id: string; absent: number; held_reason: string }
  /**
   * An object of an attached bucket was changed by others: it is new, has other contents, is `missing` on the engine, has
   * `returned`, or was `removed` after having been missing.
   */
  external_change: {
    change: 'added' | 'changed' | 'missing' | 'returned' | 'removed'
    size: number
    etag: string
    before?: { size: number; etag: string }
    scan_id?: string
  }
  /** A read-only bucket was taken over, as `asked_by` asked for; `storage` and `prefix`: where its bytes stay. */
  take_over: {
    scan_id: string
    storage: string
    prefix: string
    new_storage: string
    objects: number
    bytes: number
    quiet_hours: number
    asked_by: string | null
    /** How many objects that were marked as missing were left out. */
    left_out?: number
  }
  /**
   * Others changed, deleted or added something where a bucket was taken over. The record's key is the engine's, without the
   * prefix; `size` and `etag` are of what is there now.
   */
  external_finding: {
    finding: 'changed' | 'missing' | 'foreign'
    size: number | null
    etag: string | null
    scan_id?: string
  }
  user_create: {
    email: string
    display_name: string
    group_ids: string[]
    auto?: true
    is_active?: false
    idp_subject?: string
    must_change_password?: true
    service_account?: true
  }
  user_update: { email: string; before: object; after: object }
  user_delete: { email: string; display_name: string; group_ids: string[] }
  /** A link with which a user chooses their first password; it replaces an earlier one. */
  invitation_create: { email: string; expires_at: string }
  invitation_revoke: { email: string }
  invitation_accept: { email: string }
  /** Somebody asked for a new password for an address; `reason`: why no link was sent, if none was. */
  password_reset_request: {
    email: string
    reason?: 'unknown' | 'disabled' | 'no_password' | 'login_disabled' | 'mail_off' | 'late'
  }
  password_reset: { email: string }
  user_import: { email: string; display_name: string; external_id: string }
  group_create: { name: string; global: readonly string[]; grants: readonly object[] }
  /** Of the grants, only those removed and those added. */
  group_update: { name: string; before: object; after: object }
  group_delete: {
    name: string
    global: readonly string[]
    grants: readonly object[]
    member_count: number
    members: readonly string[]
  }
  /**
   * A policy in the language of AWS; `of`: the user, group or role that it belongs to, and null for a managed one, which can
   * be attached to many.
   */
  identity_policy_create: IdentityPolicyDetails & { document: string }
  identity_policy_update: IdentityPolicyDetails & { before: object; after: object }
  identity_policy_delete: IdentityPolicyDetails
  /** A managed policy counts for `of` from now on. */
  identity_policy_attach: IdentityPolicyDetails
  identity_policy_detach: IdentityPolicyDetails
  token_create: {
    name: string
    token_prefix: string
    scope: readonly object[] | null
    expires_at: string | null
    created_by_token_id: string | null
  }
  /** `reason`: requested, or revoked together with an ancestor. */
  token_revoke: { name: string; token_prefix: string; reason: 'requested' | 'cascade'; user_id: string }
  token_rotate: { name: string; token_prefix: string; previous_prefix: string; grace_seconds: number }
  /** `imported`: with a pair that another system made. */
  access_key_create: {
    name: string
    access_key_id: string
    scope: readonly object[] | null
    expires_at: string | null
    created_by_token_id: string | null
    user_id: string
    imported?: true
    /** That limits it. */
    policy?: string
  }
  /** By an administrator's configuration; `secret_changed`: the secret too, which is never recorded. */
  access_key_update: {
    name: string
    access_key_id: string
    user_id: string
    before: object
    after: object
    secret_changed?: true
  }
  /** `reason`: requested, or revoked together with the token that created it. */
  access_key_revoke: { name: string; access_key_id: string; reason: 'requested' | 'cascade'; user_id: string }
  access_key_rotate: { name: string; access_key_id: string; grace_seconds: number }
  agent_create: AgentDetails & { fork: string | null; client?: OauthClientDetails }
  agent_update: { name: string; user_id: string; before: object; after: object }
  /** `reason`: a code or a refresh token was used twice, the client asked for it, or nobody used the code. */
  agent_revoke: { name: string; token_prefix: string; user_id: string; reason?: AgentEnd }
  /** A client registered itself (OAuth). */
  client_register: OauthClientDetails
  /** A client exchanged the code that a user gave it for the tokens of an agent. */
  agent_connect: { name: string; user_id: string; client: OauthClientDetails }
  /** An agent asked for what a person has to agree to; `actions`: what would happen, the first of them. */
  approval_request: ApprovalDetails & { actions: readonly object[] }
  approval_approve: ApprovalDetails
  approval_reject: ApprovalDetails
  /** `keys`: how many keys a selection has; `object_keys` lists them. */
  share_create: {
    share_id: string
    kind: string
    prefix?: string
    keys?: number
    object_keys?: readonly string[]
    expires_at: string | null
  }
  share_update: { share_id: string; before: object; after: object }
  share_revoke: { share_id: string }
  /** Its creator got the link's URL again. */
  share_link_read: { share_id: string }
  policy_create: { name: string; rule: object } & Fronted
  policy_update: { name: string; before: object; after: object } & Fronted
  policy_delete: { name: string; rule: object } & Fronted
  /** Once per run, when it has ended, whatever its outcome. */
  policy_run: PolicyRunDetails
  inventory_create: { inventory_id: string; name: string; settings: object } & Fronted
  inventory_update: { inventory_id: string; name: string; before: object; after: object } & Fronted
  inventory_delete: { inventory_id: string; name: string; settings: object } & Fronted
  /** Once per run, when it has ended, whatever its outcome. */
  inventory_run: InventoryRunDetails
  settings_update: { before: object; after: object }
  storage_create: StorageDetails
  /** `secret_changed`: the secret too, which is never recorded; `events_token`: that of its event notifications. */
  storage_update: {
    name: string
    before: object
    after: object
    secret_changed?: true
    events_token?: 'created' | 'deleted'
  }
  storage_delete: StorageDetails
  /** `before`, `after`: the storages whose places had and have its bytes first; `copies_missing`: queued for the new first place. */
  storage_failover: { name: string; before: string; after: string; copies_missing: number }
  /** An administrator found the clock right that was in doubt. */
  clock_confirm: { now: string; doubt: string }
  webhook_create: { webhook_id: string } & WebhookDetails
  webhook_update: { webhook_id: string; before: object; after: object; secret_changed?: true }
  webhook_delete: { webhook_id: string } & WebhookDetails
  /** Disabled by Strongroom: the receiver said it is gone, or failed for too long. */
  webhook_disabled: { webhook_id: string; name: string; reason: string }
  webhook_rotate: { webhook_id: string; name: string; grace_seconds: number }
  webhook_promote: { webhook_id: string; name: string }
  webhook_resend: { webhook_id: string; delivery_id: string; event: string }
  webhook_recover: { webhook_id: string; deliveries: number; since: string; until: string | null }
  /** Sent only to the tested endpoint. */
  ping: { webhook_id: string; name: string; delivery_id: string }
  /** `unknown`: the connection or the process ended before the mail server answered, and the mail is not sent again. */
  mail_failed: { mail_id: string; kind: MailKind; recipient: string; outcome: 'failed' | 'unknown'; error: string }
  /** `signed_in_with`: a passkey alone, which stands for both factors. */
  login: { auth_method: string; second_factor?: 'totp' | 'passkey' | 'recovery_code'; signed_in_with?: 'passkey' }
  login_failed: { email: string | null; reason: string }
  logout: { session_id: string } | { sessions: number }
  second_factor_add: { email: string; factor_id: string; kind: 'totp' | 'passkey'; name: string }
  second_factor_update: { email: string; factor_id: string; before: object; after: object }
  second_factor_remove: { email: string; factor_id: string; kind: 'totp' | 'passkey'; name: string }
  /** All of a user, by an administrator, a user manager or the command. */
  second_factor_reset: { email: string; factors: number }
  /** They replace all earlier ones. */
  recovery_codes_create: { email: string; codes: number }
  recovery_code_use: { email: string; left: number }
  refresh_reuse: { session_id: string }
  token_expiring: { name: string; token_prefix: string; expires_at: string; days: number }
  /** A token value was used that a rotation had replaced. */
  token_reuse: { name: string; token_prefix: string }
  access_key_expiring: { name: string; access_key_id: string; expires_at: string; days: number }
  /** A key was used that is unknown, no longer valid, or with another secret; at most once a minute an address. */
  access_key_denied: { access_key_id: string; reason: string }
  role_create: { name: string; path: string; description: string; trust: string; max_session_seconds: number } & Fronted
  role_update: { name: string; before: object; after: object } & Fronted
  role_delete: { name: string; path: string } & Fronted
  oidc_provider_create: { issuer: string; audiences: readonly string[] } & Fronted
  oidc_provider_update: { issuer: string; before: object; after: object } & Fronted
  /** `sessions`: how many ended with it. */
  oidc_provider_delete: { issuer: string; audiences: readonly string[]; sessions: number } & Fronted
  /** Temporary credentials were given out: of a role, or of a user; `subject`: as the identity provider `issuer` says. */
  session_open: {
    role: string | null
    session_name: string
    user_id: string | null
    issuer: string | null
    subject: string | null
    access_key_id: string
    policy: string | null
    tags: object
    source_identity: string | null
    expires_at: string
  } & Fronted
  /** Temporary credentials were ended before their time: those of a role, a user, a provider, or until a moment. */
  session_revoke: {
    sessions: number
    role: string | null
    user_id: string | null
    issuer: string | null
    before: string | null
  } & Fronted
  /** A token of an identity provider opened no session; at most once a minute an address. */
  session_denied: { role: string; session_name: string; reason: string } & Fronted
  access_denied: { detail: string } & Fronted
  /** The list of what a search has found left the service. */
  list_export: { format: 'ndjson' | 'csv'; query: string; prefix?: string }
  audit_export: { format: 'ndjson' | 'csv'; filter: object }
  /** The oldest records were removed at the end of their retention; `faults` of them had been tampered with before. */
  audit_purge: {
    first_seq: number
    last_seq: number
    records: number
    before: string
    /** The retention that applied. */
    retention_days?: number
    chain_hash: string
    faults: number
    first_fault?: object
  }
  /** Contents were downloaded; recorded after the response, if `audit.log_reads` is on. */
  object_read: { size: number; via: 'download' | 'image' | 'archive' | 's3'; complete: boolean; share_id?: string }
  /**
   * Contents of the trash destroyed: by a user, or because their days in the trash were over; or what only a snapshot kept
   * that has ended. For a deleted bucket the record has the name it had, and its `bucket_id` as in its `delete_bucket`.
   */
  purge: {
    reason: 'requested' | 'expired' | 'bucket_deleted' | 'snapshot_ended'
    objects: number
    bytes: number
    trash_id?: string
    bucket_id?: string
  }
  /** The key of an encrypted object was deleted with the last that pointed at its bytes: nobody can read them any more. */
  erase: { size: number; blob_id: string; version_id?: string }
  /**
   * The bytes of an object were asked for, and were `changed` since they were written, or are `missing`, or their `key`
   * cannot be had: nothing of what was changed was sent. At most once a minute an object.
   */
  read_damaged: { blob_id: string; reason: 'changed' | 'missing' | 'key'; detail: string; version_id?: string }
  /** The copy of a blob at the place of a storage was damaged, and was replaced from the other one. */
  heal: { blob_id: string; storage: string; reason: 'changed' | 'missing' | 'unreadable' }
  /**
   * The copy of a blob was found damaged when all were read, and there is no other copy. `storage`: null if its bytes are in the
   * database.
   */
  scrub_damaged: { blob_id: string; storage: string | null; reason: 'changed' | 'missing' | 'unreadable' }
  /** A new key protects the keys of encrypted objects; `blobs`: of how many that was changed. */
  encryption_key_rotate: { version: number; blobs: number }
  /** A key of a key service; never its secret. */
  kms_key_create: KmsKeyDetails
  /** `secret_changed`: the secret too, which is never recorded. */
  kms_key_update: { name: string; before: object; after: object; secret_changed?: true }
  kms_key_delete: KmsKeyDetails
}
export type ActionName = keyof ActionDetails

/**
 * Recorded, never sent: outsiders must not be able to cause requests to receivers by failing to log in or registering a client,
 * and receivers need not know how a login is protected, or of what we sent to whom.
 */
const auditOnlyNames = [
  'login',
  'login_failed',
  'logout',
  'invitation_create',
  'invitation_revoke',
  'invitation_accept',
  'password_reset_request',
  'password_reset',
  'second_factor_add',
  'second_factor_update',
  'second_factor_remove',
  'second_factor_reset',
  'recovery_codes_create',
  'recovery_code_use',
  'refresh_reuse',
  'token_expiring',
  'token_reuse',
  'access_key_expiring',
  'access_key_denied',
  'client_register',
  'role_create',
  'role_update',
  'role_delete',
  'oidc_provider_create',
  'oidc_provider_update',
  'oidc_provider_delete',
  'session_open',
  'session_revoke',
  'session_denied',
  'access_denied',
  'list_export',
  'audit_export',
  'audit_purge',
  'share_link_read',
  'object_read',
  'purge',
  'erase',
  'read_damaged',
  'heal',
  'scrub_damaged',
  'encryption_key_rotate',
  'kms_key_create',
  'kms_key_update',
  'kms_key_delete',
  'webhook_resend',
  'webhook_recover',
  'mail_failed',
] as const satisfies readonly ActionName[]
export const auditOnly: ReadonlySet<ActionName> = new Set<ActionName>(auditOnlyNames)
/** The events that webhook endpoints can subscribe to; described in events.ts. */
export type EventName = Exclude<ActionName, (typeof auditOnlyNames)[number]>

/** One action, as services record it. */
export type Action = {
  [N in ActionName]: {
    name: N
    bucket?: string
    key?: string
    resource?: { type: string; id: string }
    result?: 'success' | 'denied' | 'failure'
    status_code?: number
    error_code?: string
    details: ActionDetails[N]
    /**
     * Never recorded: what else an approval of an agent's action is about. `shown` is for whoever decides, `hidden` stands for
     * what nobody may read.
     */
    binds?: { shown: { [field: string]: unknown }; hidden?: string }
    /** Never recorded: that an agent's budgets have counted its bytes already, as parts of an upload. */
    counted?: true
  }
}[ActionName]
