/** Which objects a lifecycle rule is about. */
export interface Filter {
  prefix?: string
  tags?: { [name: string]: string }
  greater_than?: number
  less_than?: number
}
/** A lifecycle rule, as configurations have it. */
export interface Rule {
  id: string
  enabled: boolean
  filter?: Filter
  expiration?: { days: number } | { date: string } | { expired_delete_marker: boolean }
  noncurrent?: { days: number; newer?: number }
  abort_days?: number
}

/** A bucket, as configurations have it. */
export interface BucketEntry {
  name: string
  quota_gb?: number
  versioning?: 'enabled' | 'suspended'
  object_lock?: { mode?: 'governance' | 'compliance'; days?: number; years?: number }
  encryption?: { algorithm: 'AES256' }
  cors?: object[]
  lifecycle?: Rule[]
  policy?: { Version: string; Statement: { Effect: string }[] }
}

/** What one of a bucket's files becomes: fields of its entry, and notes on what differs. */
export interface Read {
  fields: Partial<BucketEntry>
  notes: string[]
}
