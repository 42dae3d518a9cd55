import type { Generated } from 'kysely'

/** Who is told of it. */
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
    /** Encrypted with a key derived from SECRET_KEY. */
    secret: string
    /** The one that takes its place at `promotes_at`; both null where none is waiting (W29). */
    next_secret: string | null
    promotes_at: string | null
    /** Attempts in flight at a time, over all replicas. */
    max_in_flight: Generated<number>
    created_at: string
    created_by: string | null
    disabled_at: string | null
    /** Null where an administrator paused it. */
    disabled_reason: string | null
    /** Since when no attempt succeeded, and how many deliveries were given up since; for W25. */
    failing_since: string | null
    failed_deliveries: Generated<number>
    /** Failed attempts since the last success, and until when no delivery gets its first attempt; for W26. */
    failures_in_row: Generated<number>
    cooling_until: string | null
  }
  webhook_deliveries: {
    id: string
    webhook_id: string
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
    /** `attempts` when the schedule began: 0, or more after a recovery. */
    schedule_from: Generated<number>
    /** The status it goes back to when the one attempt that someone asked for fails. Null: by the schedule. */
    resend_from: 'acknowledged' | 'failed' | null
    /** The attempt in flight: who may write its outcome, until when nobody else may begin one, since when it runs. */
    lease_token: string | null
    lease_until: string | null
    leased_at: string | null
    /** Attempts that ended with their process (W18). */
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
