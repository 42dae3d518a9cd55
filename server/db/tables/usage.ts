/** Numbers over time. They outlive their buckets, so no history references one. */
export interface UsageTables {
  /** A bucket in an hour or a day (UTC); '' instead of a bucket: requests that concerned none. */
  usage_history: {
    step: 'hour' | 'day'
    bucket_id: string
    /** When the hour or day starts. */
    time: string
    /** The last value seen within that time; null where none was. */
    used_bytes: number | null
    object_count: number | null
    uploaded_bytes: number
    downloaded_bytes: number
    requests: number
  }
  /** Every bucket in the history, by the name it has or had. */
  usage_buckets: {
    bucket_id: string
    name: string
    /** When its content types were counted, what it held then (a text to compare), and when to count again. */
    types_at: string | null
    types_of: string | null
    types_due: string | null
  }
  /** '' instead of a content type: those too rare to be kept. */
  usage_types: { bucket_id: string; content_type: string; bytes: number; objects: number }
  /** Hours whose bucket sizes are recorded, or being recorded: up to which bucket. */
  usage_samples: { time: string; sampled_to: string; finished_at: string | null }
  /** Buckets that were announced to be nearly full: at what percentage, and of which quota. It goes with the quota. */
  quota_warnings: { bucket_id: string; percent: number; quota_gb: number }
}
