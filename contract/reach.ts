/** The conditions of a policy that decide what it deletes. */
export interface Reach {
  older_than_days: number | null
  date: string | null
  keep_newest: number | null
  noncurrent_days: number | null
  keep_versions: number | null
  expired_markers: boolean
  keep_snapshots: number | null
}

/** Whether a policy deletes versions that are not current. */
export const reachesVersions = ({ noncurrent_days, keep_versions }: Reach): boolean =>
  noncurrent_days !== null || keep_versions !== null

/** Whether a policy deletes objects: unless it takes snapshots, or all it says is about versions. */
export const reachesObjects = (rule: Reach): boolean =>
  rule.keep_snapshots === null &&
  ((!reachesVersions(rule) && !rule.expired_markers) ||
    rule.older_than_days !== null ||
    rule.date !== null ||
    rule.keep_newest !== null)
