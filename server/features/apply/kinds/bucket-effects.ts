// What follows from a change of a bucket, in sentences.
import type { Bucket } from '../../../../contract/buckets.ts'
import { counted } from '../../../base/count-words.ts'
import type { EntryOf } from '../kind.ts'

type Entry = EntryOf<'buckets'>
const GIB = 1024 ** 3

/** What follows if the quotas of a bucket change. */
function effectsOfQuotas(
  { quota_gb, history_quota_gb, quota_includes_history }: Partial<Entry>,
  before: Bucket | undefined,
): string[] {
  const history = before?.history_bytes ?? 0
  const isIncluded = quota_includes_history ?? before?.quota_includes_history ?? false
  const used = (before?.used_bytes ?? 0) + (isIncluded ? history : 0)
  const quota = quota_gb === undefined ? before?.quota_gb : quota_gb
  const isAsked = quota_gb !== undefined || quota_includes_history !== undefined
  return [
    ...(isAsked && typeof quota === 'number' && used > quota * GIB
      ? [`It holds ${counted(used, 'byte')}, more than that: nothing can be added until there is room.`]
      : []),
    ...(typeof history_quota_gb === 'number' && history > history_quota_gb * GIB
      ? [`Snapshots alone keep ${counted(history, 'byte')}, more than that: no more are taken until there is room.`]
      : []),
  ]
}

/** What follows if these fields of a bucket change, or if it is created with them. */
export function effectsOf(change: Partial<Entry>, before: Bucket | undefined): string[] {
  const { trash_days, versioning, object_lock, lifecycle } = change
  const keepsVersions = versioning === 'enabled' && before?.versioning !== 'suspended'
  return [
    ...effectsOfQuotas(change, before),
    ...(before && trash_days !== undefined && trash_days < before.trash_days
      ? ['What has been in its trash for longer is deleted.']
      : []),
    ...(keepsVersions ? ['It keeps versions from then on, which can be suspended but not turned off.'] : []),
    ...(keepsVersions && before?.mode === 'taken_over'
      ? ['It was taken over, and cannot be released to an engine while it has any version.']
      : []),
    ...(object_lock && !before?.object_lock ? ['Object Lock cannot be turned off again.'] : []),
    ...(lifecycle ? ['Objects that meet its lifecycle rules are deleted, each night after midnight UTC.'] : []),
  ]
}
