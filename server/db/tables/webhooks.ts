/** Who is told of it. */
export interface WebhookTables {
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
