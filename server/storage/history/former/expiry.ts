import { DAY_MS } from '../../../base/time.ts'
import type { Ctx } from '../../../context.ts'
import * as store from './store.ts'

const BATCH = 1000

/**
 * Deletes what former objects are known of for longer than their bucket keeps its trash, but for those that are still kept as
 * versions; of deleted buckets, all.
 */
export async function expireFormer(ctx: Ctx): Promise<void> {
  for (const { id, trash_days, deleted_at } of await store.findBucketsWithFormer(ctx.db)) {
    const days = deleted_at === null ? trash_days : 0
    const by = (ctx.now().getTime() - days * DAY_MS) * 1000
    while (
      await ctx.upkeep(async (step) => {
        const { deleted, ended } = await store.deleteEnded(step.tx, { bucketId: id, by, limit: BATCH })
        if (deleted === 0) return step.nothing(false)
        await store.noteForgotten(step.tx, id, ended)
        return deleted === BATCH
      })
    );
  }
}
