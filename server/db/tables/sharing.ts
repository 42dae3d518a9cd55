import type { Generated } from 'kysely'

/** Links for people without an account. */
export interface SharingTables {
  /** Links for people without an account. */
  shares: {
    id: string
    /** SHA-256 in hex. */
    token_hash: string
    /** The id and the token, encrypted; null if the token is not kept. */
    sealed_token: string | null
    kind: 'object' | 'folder' | 'selection' | 'upload'
    /** A bucket created again under the same name is another one. */
    bucket_id: string
    bucket: string
    /** A key, a prefix, or for a selection the JSON of its keys. */
    target: string
    created_by: string
    /** The agent that made it for them, and whose rights it has. */
    agent_id: Generated<string | null>
    created_at: string
    expires_at: string | null
    revoked_at: string | null
    password_hash: string | null
    max_downloads: number | null
    /** Counted here only where there is a limit; share_access_counts counts for all. */
    downloads: number
    filename: string | null
    disposition: 'inline' | 'attachment' | null
    /** What the creator tells the visitors. */
    message: string | null
    /** 1: its creator wants a mail when it is opened; `notified_at`: when that was queued, once. */
    notify: Generated<number>
    notified_at: Generated<string | null>
    /** JSON: what may be uploaded through it. */
    limits: string
    received_files: number
    received_bytes: number
  }
  /** Accesses of a link, in several rows so that visitors of a popular one do not wait for each other. */
  share_access_counts: { share_id: string; shard: number; count: number; last_at: string }
  /** What an address started to download, which it may continue until `ends_at`, for so many bytes. */
  share_servings: { share_id: string; ip: string; blob_id: string; left_bytes: number; ends_at: string }
  share_accesses: {
    id: string
    share_id: string
    time: string
    outcome: 'opened' | 'served' | 'previewed' | 'continued' | 'uploaded' | 'wrong_password' | 'limit_spent'
    object_key: string | null
    ip: string | null
    user_agent: string | null
    /** What the sender of an upload says: texts of strangers. */
    sender_name: Generated<string | null>
    sender_message: Generated<string | null>
  }
}
