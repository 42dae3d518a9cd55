/** Numbers over time. They outlive their buckets, so nothing here refers to one. */
export interface UsageTables {
  /** A bucket in an hour and in a day (UTC); '' instead of a bucket: requests that were about none. */
  usage_history: {
    step: 'hour' | 'day'
    bucket_id: string
    /** When the hour or day begins. */
    time: string
    /** As it was found last within that time; null where nobody looked. */
    used_bytes: number | null
    object_count: number | null
    uploaded_bytes: number
    downloaded_bytes: number
    requests: number
  }
  /** Every bucket of the history by the name it has or had. */
  usage_buckets: {
    bucket_id: string
    name: string
    /** When its content types were counted, what it held by then (as a text to compare), when to ask again. */
    types_at: string | null
    types_of: string | null
    types_due: string | null
  }
  /** '' instead of a content type: those too rare to be kept. */
  usage_types: { bucket_id: string; content_type: string; bytes: number; objects: number }
  /** Hours of which what buckets hold is, or is being, written down: up to which bucket. */
  usage_samples: { time: string; sampled_to: string; finished_at: string | null }
}
