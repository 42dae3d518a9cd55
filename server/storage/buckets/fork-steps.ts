// What becomes of the rows of buckets where one is forked.
import { newId } from '../../base/id.ts'
import type { Upkeep } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import * as quotaStore from './quotas/store.ts'
import { softDeleteStep } from './soft-delete.ts'
import * as store from './store.ts'

/** Step: makes a bucket like this one, with its quota, that nobody sees until it gets the other's name. Returns its id. */
export async function makeHidden({ tx, now }: Upkeep, placeholder: Row<'buckets'>): Promise<string> {
  const id = newId()
  await store.insertBucket(tx, {
    ...placeholder,
    id,
    name: `~${id}`,
    former_name: placeholder.name,
    mode: null,
    deleted_at: now().toISOString(),
  })
  const quota = (await quotaStore.lockQuotas(tx, placeholder.id)).find(({ scope }) => scope === placeholder.id)
  if (quota) await quotaStore.setQuota(tx, id, quota.quota_gb)
  return id
}

/** Step: gives a hidden bucket the name of the one that had it, and what has been configured of that. */
export async function takeName(step: Upkeep, bucketId: string, from: { id: string; name: string }): Promise<void> {
  await softDeleteStep(step, from)
  await quotaStore.clearQuota(step.tx, from.id)
  await store.giveName(step.tx, bucketId, { name: from.name, created_at: step.now().toISOString(), from: from.id })
}

/** Step: deletes a bucket with all that is in it: its name is free at once, and nothing is kept of it. */
export async function removeWhole(step: Upkeep, bucket: { id: string; name: string }): Promise<void> {
  await store.endSnapshots(step.tx, bucket.id, step.now())
  await softDeleteStep(step, bucket)
  await keepNothing(step, bucket.id)
}

/** Step: has nothing be kept of what is deleted in a bucket from now on, which has no quota any more. */
export async function keepNothing({ tx }: Upkeep, bucketId: string): Promise<void> {
  await quotaStore.clearQuota(tx, bucketId)
  await store.describeBucket(tx, bucketId, { trash_days: 0, versioning: null })
}
