import { HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { countUsage, holdBucket } from '../buckets/service.ts'
import { findBucketName } from '../buckets/store.ts'
import { isOver, receivedParts } from './receive.ts'
import * as store from './store.ts'

/** How long the announced size stays reserved while no part arrives. */
const IDLE_MS = HOUR_MS
const PAGE = 500

/**
 * Reduces what uploads reserve to the parts received once nothing has arrived for an hour, so that merely announcing a
 * size does not block a quota for a day. The uploads stay open, and reserve part by part again, like those of unknown
 * size.
 */
export async function lapseIdle(ctx: Ctx): Promise<void> {
  const since = new Date(ctx.now().getTime() - IDLE_MS)
  for (let after = ''; !ctx.stopping.aborted; ) {
    const page = await store.findIdle(ctx.db, since, after, PAGE)
    for (const row of page)
      try {
        await lapse(ctx, row, since)
      } catch (error) {
        ctx.log.error({ err: error, upload: row.id }, "could not release an idle upload's reservation")
      }
    after = page.at(-1)?.id ?? ''
    if (page.length < PAGE) return
  }
}

async function lapse(ctx: Ctx, { id, bucket_id }: store.UploadRow, since: Date): Promise<void> {
  const found = await store.findUpload(ctx.db, id)
  if (!found) return
  // Only the storage knows parts that were sent to it directly.
  const arrived = (await receivedParts(ctx, found)).reduce((sum, { size }) => sum + size, 0)
  await ctx.upkeep(async ({ tx }) => {
    const name = await findBucketName(tx, bucket_id)
    if (name === undefined) return
    const bucket = await holdBucket(tx, name)
    const row = await store.lockUpload(tx, id)
    if (!row || row.completed_at !== null || row.lapsed_at !== null || isOver(row, ctx.now())) return
    // A part may have arrived meanwhile.
    if ((await store.listParts(tx, id)).some(({ received_at }) => received_at > since.toISOString())) return
    const reserved = Math.min(row.reserved, arrived)
    if (reserved < row.reserved) await countUsage(tx, bucket, { reserved: reserved - row.reserved })
    await store.updateUpload(tx, id, { reserved, lapsed_at: ctx.now().toISOString() })
  })
}
