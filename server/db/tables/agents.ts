/** Credentials of programs that decide by themselves what they do. */
export interface AgentTables {
  agents: {
    id: string
    /** Who made it: it never may more than they. */
    user_id: string
    name: string
    /** JSON: ScopeEntry[] */
    scope: string
    /** JSON: AgentBudget */
    budget: string
    /** JSON: AgentApproval */
    approval: string
    /** The bucket that was forked for it. */
    fork: string | null
    token_prefix: string
    /** SHA-256 in hex. */
    token_hash: string
    access_key_id: string
    /** Encrypted with a key derived from SECRET_KEY: a signature can only be checked with the secret itself. */
    secret: string
    created_at: string
    expires_at: string | null
    revoked_at: string | null
    last_used_at: string | null
    last_used_ip: string | null
  }
  /** One row for each agent: what it has changed, deleted and read. */
  agent_uses: {
    agent_id: string
    /** When the hour began that `this_hour` counts; null before the first. */
    hour_from: string | null
    /** JSON: AgentUse */
    this_hour: string
    /** JSON: AgentUse */
    in_all: string
  }
  /** What agents asked for that a person has to agree to. */
  agent_approvals: {
    id: string
    agent_id: string
    status: 'waiting' | 'approved' | 'rejected' | 'done'
    /** SHA-256 in hex of what was asked for. */
    fingerprint: string
    /** SHA-256 in hex of what the objects were that it is about, at `places`. */
    state: string
    /** JSON: [bucket, key][] */
    places: string
    reason: 'write' | 'delete' | 'share' | 'above_objects' | 'above_bytes'
    /** JSON: what would happen, the first of it. */
    actions: string
    objects: number
    bytes: number
    requested_at: string
    /** Until when it can be approved; once that was done, until when it may be made. */
    expires_at: string
    decided_at: string | null
    decided_by: string | null
    done_at: string | null
  }
  /** Bulk changes that were tried, and may be made by the credential that tried them. */
  plans: {
    id: string
    user_id: string
    /** The agent, or the token. */
    credential: string
    /** JSON: what was tried. */
    change: string
    /** SHA-256 in hex of what it was about, and of what was left out. */
    state: string
    expires_at: string
  }
}
