import type { Tags } from '../../../contract/shapes.ts'

/** Which objects a lifecycle rule is about: those of which all this is so. */
export interface LifecycleFilter {
  prefix?: string
  tags?: Tags
  /** Sizes in bytes, both exclusive. */
  greater_than?: number
  less_than?: number
}

/** A rule of a bucket's lifecycle configuration. What it says of versions has no effect: there are none. */
export interface LifecycleRule {
  id: string
  enabled: boolean
  filter: LifecycleFilter
  /** How the filter was written, so that clients read what they wrote. */
  written: 'prefix' | 'filter' | 'and'
  /** `days` after the last change, or from `date` (a midnight UTC) on. */
  expiration?: { days: number } | { date: string } | { expired_delete_marker: boolean }
  noncurrent?: { days: number; newer?: number }
  /** Days after which an upload in parts that was not completed is aborted. */
  abort_days?: number
}
