import { DAY_MS } from '../../../base/time.ts'
import type { Ctx, Upkeep } from '../../../context.ts'
import { holdAnyBucket } from '../../buckets/service.ts'
import * as store from './store.ts'

const BATCH = 1000
/** How many rows one statement looks at: nobody waits longer than for those, however much snapshots keep. */
const LOOK = 2000

/**
 * Deletes what former objects are known of for longer than their bucket keeps its trash, but for those that are still kept as
 * versions or by snapshots; of deleted buckets, all.
 */
export async function expireFormer(ctx: Ctx): Promise<void> {
  for (const { id, trash_days, deleted_at } of await store.findBucketsWithFormer(ctx.db)) {
    const days = deleted_at === null ? trash_days : 0
    const by = (ctx.now().getTime() - days * DAY_MS) * 1000
    for (let after = 0; after < by; ) {
      const to = Number((await store.findStretchEnd(ctx.db, { bucketId: id, after, to: by }, LOOK)) ?? by)
      const stretch = { bucketId: id, after, to }
      if (await store.hasDeletable(ctx.db, stretch)) while (await deleteBatch(ctx, stretch));
      after = to
    }
  }
}

/** Deletes one batch; false when nothing is left. */
const deleteBatch = (ctx: Ctx, stretch: Parameters<typeof store.deleteEnded>[1]): Promise<boolean> =>
  ctx.upkeep(async (step) => {
    // Nobody makes a snapshot meanwhile of a moment that has been.
    await holdAnyBucket(step.tx, stretch.bucketId)
    const { deleted, ended } = await store.deleteEnded(step.tx, stretch, BATCH)
    if (deleted === 0) return step.nothing(false)
    await store.noteForgotten(step.tx, stretch.bucketId, ended)
    return deleted === BATCH
  })

/** Step: notes that what a bucket was before a moment is not known. */
export const forgetBefore = async ({ tx }: Upkeep, bucketId: string, moment: number): Promise<void> =>
  void (await store.noteForgotten(tx, bucketId, moment))
