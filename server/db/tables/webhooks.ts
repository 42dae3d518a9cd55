import type { Generated } from 'kysely'

/** Webhooks, what is delivered to their endpoints, and each attempt. */
export interface WebhookTables {
  webhooks: {
    id: string
    name: string
    url: string
    /** JSON: event names or `*` */
    events: string
    /** Only events of this bucket, and of keys that start with the prefix. */
    bucket: string | null
    prefix: string | null
    /** `s3`: events as S3 sends them, and only those that S3 has. */
    format: Generated<'strongroom' | 's3'>
    /** Encrypted with a key derived from SECRET_KEY. */
    secret: string
    /** Replaces `secret` at `promotes_at`; both null where no secret is waiting. */
    next_secret: string | null
    promotes_at: string | null
    /** Attempts in flight at a time, over all replicas. */
    max_in_flight: Generated<number>
    created_at: string
    created_by: string | null
    disabled_at: string | null
    /** Null when an administrator paused it. */
    disabled_reason: string | null
    /** Since when no attempt has succeeded, and how many deliveries failed for good since: disabling depends on both. */
    failing_since: string | null
    failed_deliveries: Generated<number>
    /** Failed attempts since the last success, and until when no delivery gets its first attempt. */
    failures_in_row: Generated<number>
    cooling_until: string | null
  }
  webhook_deliveries: {
    id: string
    webhook_id: string
    audit_id: string
    event: string
    /** The exact text that every attempt signs and sends. */
    body: string
    status: 'queued' | 'acknowledged' | 'failed'
    attempts: number
    last_status_code: number | null
    last_error: string | null
    created_at: string
    next_attempt_at: string | null
    acknowledged_at: string | null
    /** `attempts` when the schedule started: 0, or more after a recovery. */
    schedule_from: Generated<number>
    /** The status to return to when an attempt that someone asked for fails. Null: attempts follow the schedule. */
    resend_from: 'acknowledged' | 'failed' | null
    /** The attempt in flight: who may write its outcome, until when no other may start, and when it started. */
    lease_token: string | null
    lease_until: string | null
    leased_at: string | null
    /** Attempts that ended with their process. */
    interruptions: Generated<number>
  }
  webhook_attempts: {
    id: string
    delivery_id: string
    number: number
    trigger: 'scheduled' | 'manual' | 'interrupted'
    started_at: string
    duration_ms: number
    url: string
    ip: string | null
    /** JSON objects. */
    request_headers: string
    response_headers: string | null
    status_code: number | null
    response_body: string | null
    response_encoding: 'utf-8' | 'base64' | null
    response_truncated: number
    error_class: string | null
    error: string | null
  }
}
