import type { Upkeep } from '../../context.ts'
import type { RowChange } from '../../db/schema.ts'
import { none } from './describe.ts'
import * as quotaStore from './quotas/store.ts'
import * as store from './store.ts'
import { isReadOnly } from './writable.ts'

/** Step: holds a bucket by its id against every other change; undefined if its row is gone. */
export const holdExclusivelyById = ({ tx }: Upkeep, id: string) => store.lockAnyBucket(tx, id)

/**
 * Step: changes whose a bucket's objects are, and what goes with that. The bucket is held whole. What others keep is not part
 * of the quota over all buckets.
 */
export async function changeBucketMode(
  { tx }: Upkeep,
  before: Pick<store.BucketRow, 'id' | 'mode'>,
  change: Pick<store.BucketRow, 'mode'> & RowChange<'buckets'>,
): Promise<void> {
  const total = (await quotaStore.lockQuotas(tx, before.id)).find(({ scope }) => scope === quotaStore.TOTAL)
  const { bytes, reserved } = (await quotaStore.sumUsage(tx, [before.id])).get(before.id) ?? none
  const counted = (one: Pick<store.BucketRow, 'mode'>) => (isReadOnly(one) ? 0 : bytes + reserved)
  const growth = counted(change) - counted(before)
  if (total && growth !== 0) await quotaStore.addToQuota(tx, { scope: quotaStore.TOTAL, bytes: growth })
  await store.describeBucket(tx, before.id, change)
}

/** Step: ends what only a bucket has that takes new bytes: its quota, and uploads that are not completed. */
export async function endWriting({ tx, now }: Upkeep, id: string): Promise<void> {
  await quotaStore.clearQuota(tx, id)
  await store.expireUploads(tx, id, now())
}
