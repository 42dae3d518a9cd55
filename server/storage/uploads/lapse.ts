import { HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { countUsage, holdBucket } from '../buckets/service.ts'
import { findBucketName } from '../buckets/store.ts'
import { isOver, receivedParts } from './received.ts'
import * as store from './store.ts'

/** How long the announced size stays reserved while no part comes. */
const IDLE_MS = HOUR_MS
const PAGE = 500

/**
 * Lets uploads of which nothing has come for an hour reserve no more than has arrived: whoever only announces does not
 * take a quota from others for a day. They stay open, and reserve again part by part, as those of an unknown size do.
 */
export async function lapseIdle(ctx: Ctx): Promise<void> {
  const since = new Date(ctx.now().getTime() - IDLE_MS)
  for (let after = ''; !ctx.stopping.aborted; ) {
    const page = await store.findIdle(ctx.db, since, after, PAGE)
    for (const row of page)
      try {
        await lapse(ctx, row, since)
      } catch (error) {
        ctx.log.error({ err: error, upload: row.id }, 'the reservation of an idle upload could not be ended')
      }
    after = page.at(-1)?.id ?? ''
    if (page.length < PAGE) return
  }
}

async function lapse(ctx: Ctx, { id, bucket_id }: store.UploadRow, since: Date): Promise<void> {
  const found = await store.findUpload(ctx.db, id)
  if (!found) return
  // Of parts that go straight to the storage only that knows.
  const arrived = (await receivedParts(ctx, found)).reduce((sum, { size }) => sum + size, 0)
  await ctx.upkeep(async ({ tx }) => {
    const name = await findBucketName(tx, bucket_id)
    if (name === undefined) return
    const bucket = await holdBucket(tx, name)
    const row = await store.lockUpload(tx, id)
    if (!row || row.completed_at !== null || row.lapsed_at !== null || isOver(row, ctx.now())) return
    // A part may have come meanwhile.
    if ((await store.listParts(tx, id)).some(({ received_at }) => received_at > since.toISOString())) return
    const reserved = Math.min(row.reserved, arrived)
    if (reserved < row.reserved) await countUsage(tx, bucket, { reserved: reserved - row.reserved })
    await store.updateUpload(tx, id, { reserved, lapsed_at: ctx.now().toISOString() })
  })
}
