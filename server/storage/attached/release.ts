import { ServiceError } from '../../../contract/errors.ts'
import { MINUTE_MS } from '../../base/time.ts'
import { allow, type Ctx } from '../../context.ts'
import { buryStep, holdWhole } from '../buckets/bury.ts'
import { bucketMissing, countUsage, holdAnyBucket } from '../buckets/service.ts'
import { sumUsage } from '../buckets/store.ts'
import { findStorageNames } from '../storages/use.ts'
import * as store from './store.ts'

const AT_ONCE = 1000

/** Forgets an attached bucket and what it showed; everything on the storage stays. Returns how many objects it showed. */
export async function releaseBucket(ctx: Ctx, name: string): Promise<{ objects: number }> {
  allow(ctx.actor, 'manage', name)
  const objects = await ctx.act(async (step) => {
    const { tx, record } = step
    const bucket = await holdWhole(tx, name)
    if (!bucket) throw bucketMissing(name)
    if (bucket.mode === null)
      throw new ServiceError('conflict', `The bucket "${name}" is not attached: its objects are Strongroom's own.`)
    const attachment = await store.deleteAttachment(tx, bucket.id)
    const objects = (await sumUsage(tx, [bucket.id])).get(bucket.id)?.objects ?? 0
    const storage = (await findStorageNames(tx, [bucket])).get(bucket.storage_id) ?? ''
    await buryStep(step, bucket)
    const details = { storage, prefix: attachment?.prefix ?? '', objects, bucket_id: bucket.id }
    record({ name: 'release_bucket', bucket: name, details })
    return objects
  })
  ctx.background(() => forgetReleased(ctx))
  return { objects }
}

/** Deletes what is known of the objects of released buckets. */
async function forgetReleased(ctx: Ctx): Promise<void> {
  if (!ctx.worksInBackground) return
  for (const id of await store.findReleased(ctx.db))
    while (
      !ctx.stopping.aborted &&
      (await ctx.upkeep(async ({ tx }) => {
        const bucket = await holdAnyBucket(tx, id)
        if (!bucket) return false
        const { objects, bytes } = await store.deleteSome(tx, id, AT_ONCE)
        if (objects > 0) await countUsage(tx, bucket, { objects: -objects, bytes: -bytes })
        return objects === AT_ONCE
      }))
    );
}

export const releasedBuckets = { name: 'released-buckets', every: MINUTE_MS, run: forgetReleased }
