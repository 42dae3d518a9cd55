import type { OnConflict } from '../../../contract/trash.ts'
import { allowSomewhere, asCurrent, type Ctx } from '../../context.ts'
import { holdBucket } from '../buckets/service.ts'
import { assertFound, lockItems, visibleItems } from '../history/trash/service.ts'
import { retryTaken } from '../objects/retry.ts'
import { placeItems } from './place-items.ts'

/**
 * Restores items under their keys, all or none; needs `write` on each. `onConflict` says what happens if a key is
 * taken; the default is a `conflict` error.
 */
export function restoreTrash(ctx: Ctx, name: string, ids: readonly string[], onConflict: OnConflict = 'fail') {
  return retryTaken(() =>
    ctx.act(async (step) => {
      // Checked before the lookup, so that callers who may not write in a bucket do not learn whether it exists.
      allowSomewhere(step.actor, 'write', name)
      const bucket = await holdBucket(step.tx, name)
      const caller = await asCurrent(step)
      allowSomewhere(caller.actor, 'write', name)
      const rows = visibleItems(caller, 'write', name, await lockItems(step.tx, bucket.id, ids))
      assertFound(ids, rows)
      return placeItems(caller, bucket, { ids, rows, onConflict })
    }),
  )
}
