import { settingsInForce } from '../../../access/settings/effective.ts'
import type { Step } from '../../../context.ts'
import { changeBucketMode } from '../../buckets/change-mode.ts'
import { none } from '../../buckets/describe.ts'
import { sumUsage } from '../../buckets/quotas/store.ts'
import type { HeldBucket } from '../../buckets/service.ts'
import { countUnsettled } from '../../external-objects/scan-state/store.ts'
import { findStorageNames, holdStorage } from '../../storages/use.ts'
import type { TakingOver } from './schedule.ts'
import * as store from './store.ts'

/** Others changed something meanwhile, which may be in the middle of a longer work of theirs. */
const CHANGED =
  'so the bucket was not taken over. See to it that nothing writes there any more, and try again once it has been quiet for long enough.'

/**
 * Step: takes a bucket over that is held whole, at the end of a scan that was to do that. Returns why not, in a sentence, if
 * anything was changed by others since.
 */
export async function takeOverStep(step: Step, scan: store.ScanRow, bucket: HeldBucket): Promise<string | null> {
  const { tx, record } = step
  const { added, changed, missing, removed, absent, bucket_id } = scan
  const count = Math.max(added + changed + missing + removed, absent)
  if (count > 0)
    return `Others have changed ${count.toLocaleString('en')} ${count === 1 ? 'object' : 'objects'}, ${CHANGED}`
  const attachment = await store.lockAttachment(tx, bucket_id)
  const unsettled = await countUnsettled(tx, bucket_id)
  const {
    quiet_hours,
    storage: new_storage,
    changed_at,
    without_missing,
  } = JSON.parse(scan.take_over ?? '{}') as TakingOver
  if (!attachment || attachment.changed_at !== changed_at || unsettled.unread + unsettled.missing > 0)
    return `Others have changed something meanwhile, ${CHANGED}`
  const names = await findStorageNames(tx, [{ storage_id: attachment.storage_id }])
  const { default_days } = (await settingsInForce(step)).trash
  const { objects, bytes } = (await sumUsage(tx, [bucket_id])).get(bucket_id) ?? none
  await changeBucketMode(step, bucket, {
    mode: 'taken_over',
    storage_id: await holdStorage(tx, new_storage),
    trash_days: default_days,
  })
  await store.updateAttachment(tx, bucket_id, { taken_over_at: step.now().toISOString() })
  record({
    name: 'take_over',
    bucket: bucket.name,
    resource: { type: 'scan', id: scan.id },
    details: {
      scan_id: scan.id,
      storage: names.get(attachment.storage_id) ?? '',
      prefix: attachment.prefix,
      new_storage,
      objects,
      bytes,
      quiet_hours,
      asked_by: scan.created_by,
      ...(without_missing === undefined ? {} : { left_out: without_missing }),
    },
  })
  return null
}
