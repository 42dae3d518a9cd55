import type * as itemStore from './items.ts'

/** Rows read at a time. */
export const PAGE = 1000

/** An object or version in scope, as it is. */
export interface Match extends Omit<itemStore.Candidate, 'tags'> {
  /** Of a version that is not current: its row. Null for an object. */
  version_seq: number | null
  bucket_id: string
  bucket: string
}
/** When a rule is judged, and the length of its days in milliseconds. */
export interface Moment {
  cutoff: Date
  day: number
}
/** The result of one page. */
export interface Step {
  matches: Match[]
  examined: number
  excluded: Excluded
}
/** How many objects and versions in scope are kept, by the first condition that keeps them. */
export type Excluded = ReturnType<typeof nothingExcluded>

export const nothingExcluded = () => ({
  glob: 0,
  min_size: 0,
  max_size: 0,
  tags: 0,
  keep_newest: 0,
  older_than_days: 0,
  date: 0,
  noncurrent_days: 0,
  keep_versions: 0,
  expired_markers: 0,
  locked: 0,
})
