/** What was done. */
export interface AuditTables {
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
}
