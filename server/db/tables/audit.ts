/** What was done. */
interface AuditRow {
  id: string
  time: string
  action: string
  result: 'success' | 'denied' | 'failure'
  status_code: number | null
  error_code: string | null
  actor_user_id: string | null
  actor_email: string | null
  actor_type: 'user' | 'role' | 'public' | 'system' | 'cli' | 'engine'
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
  /** `<key id>.<HMAC of the row's hash>`; null only in records that this service did not write. */
  mac: string | null
}

/** The records, and the chain that shows whether anyone changed them since. */
export interface AuditTables {
  /** All records: a view over the two tables. */
  audit: AuditRow
  /** Where an action writes its records: a small table without an index, so that it costs the action little. */
  audit_recent: AuditRow
  /** Where sealing moves them in batches: indexed for every filter. */
  audit_sealed: AuditRow
  /** One link a record, in the order of sealing: seq counts 1, 2, 3… without a gap. Hashes are SHA-256 in hex. */
  audit_chain: { seq: number; audit_id: string; row_hash: string; chain_hash: string }
  /** One row: where the chain starts and ends. Sealing and purging hold its lock. */
  audit_head: {
    id: number
    /** The last link. */
    seq: number
    chain_hash: string
    /** The last link that retention has deleted. */
    anchor_seq: number
    anchor_hash: string
    /** How many checkpoints there are. */
    checkpoints: number
    /** Where the chain ended when this row was found altered by someone else. */
    distrusted_seq: number | null
    /** `<key id>.<HMAC>` of the fields above. */
    mac: string | null
  }
  audit_checkpoints: {
    n: number
    seq: number
    chain_hash: string
    time: string
    /** SHA-256 of the checkpoint before, signature included. */
    prev_checkpoint: string | null
    key_id: string
    signature: string
  }
  /** Keys of the MACs and signatures, encrypted with a key derived from SECRET_KEY. */
  audit_keys: { id: string; sealed: string; created_at: string }
}
