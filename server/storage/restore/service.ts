import type { OnConflict } from '../../../contract/trash.ts'
import { allowSomewhere, asCurrent, type Ctx } from '../../context.ts'
import { holdBucket } from '../buckets/service.ts'
import { retryTaken } from '../objects/retry.ts'
import { assertFound, lockItems, seenBy } from '../trash/service.ts'
import { placeItems } from './placing.ts'

/**
 * Puts items back under their keys, all or none; needs `write` on each. What happens where a key is taken is
 * `onConflict`'s to say: a `conflict` unless asked otherwise.
 */
export function restoreTrash(ctx: Ctx, name: string, ids: readonly string[], onConflict: OnConflict = 'fail') {
  return retryTaken(() =>
    ctx.act(async (step) => {
      // Before the name of a bucket is looked up for someone who may write nowhere in it.
      allowSomewhere(step.actor, 'write', name)
      const bucket = await holdBucket(step.tx, name)
      const caller = await asCurrent(step)
      allowSomewhere(caller.actor, 'write', name)
      const rows = seenBy(caller, 'write', name, await lockItems(step.tx, bucket.id, ids))
      assertFound(ids, rows)
      return placeItems(caller, bucket, { ids, rows, onConflict })
    }),
  )
}
