import type { OnConflict } from '../../contract/trash.ts'
import { type HeldBucket, holdBucket } from '../buckets/service.ts'
import { allowSomewhere, asCurrent, type Ctx } from '../context.ts'
import type { Tx } from '../db/schema.ts'
import { retryTaken } from '../objects/retry.ts'
import { assertFound, seenBy } from '../trash/service.ts'
import { lockTrash } from '../trash/store.ts'
import { placeItems } from './placing.ts'

/**
 * Puts items back under their keys, all or none; needs `write` on each. What happens where a key is taken is
 * `onConflict`'s to say: a `conflict` unless asked otherwise.
 */
export function restoreTrash(ctx: Ctx, name: string, ids: readonly string[], onConflict: OnConflict = 'fail') {
  return retryTaken(() =>
    ctx.act(async (tx, record) => {
      const bucket = await holdFor(tx, ctx, name)
      const caller = await asCurrent(tx, ctx)
      allowSomewhere(caller.actor, 'write', name)
      const rows = seenBy(caller, 'write', name, await lockTrash(tx, bucket.id, ids))
      assertFound(ids, rows)
      return placeItems(tx, caller, bucket, { ids, rows, onConflict }, record)
    }),
  )
}

/** Step: holds the bucket for someone with any right to `write` in it; the keys are checked one by one after that. */
function holdFor(tx: Tx, ctx: Ctx, name: string): Promise<HeldBucket> {
  allowSomewhere(ctx.actor, 'write', name)
  return holdBucket(tx, name)
}
