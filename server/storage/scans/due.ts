import { newId } from '../../base/id.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import * as store from './store.ts'

/** Queues a scan of each attached bucket that is due: after an hour, or after a day where the engine reports changes. */
export async function queueDue(ctx: Ctx): Promise<void> {
  if (!ctx.worksInBackground || !ctx.config.storagesEnabled) return
  const now = ctx.now().getTime()
  for (const { bucket_id, scanned_at, events_at, disabled_at } of await store.listAttachments(ctx.db)) {
    const since = (time: string | null) => (time === null ? Number.POSITIVE_INFINITY : Math.abs(now - Date.parse(time)))
    const isReported = since(events_at) < DAY_MS
    if (disabled_at !== null || since(scanned_at) < (isReported ? DAY_MS : HOUR_MS)) continue
    await ctx.upkeep(async (step) => {
      const attachment = await store.lockAttachment(step.tx, bucket_id)
      if (attachment?.scanned_at === scanned_at) await queueScan(step, bucket_id, 'schedule')
    })
  }
}

/** Step: queues a scan, unless one is queued or running; returns either. The attachment is locked, or new. */
export async function queueScan(
  step: Upkeep,
  bucketId: string,
  started_by: store.ScanRow['started_by'],
): Promise<store.ScanRow> {
  const { tx } = step
  const open = await store.findOpenScan(tx, bucketId)
  if (open) return open
  const created_at = step.now().toISOString()
  const none = { seen: 0, added: 0, changed: 0, absent: 0, missing: 0, removed: 0, refused: 0, recorded: 0 }
  const row: store.ScanRow = {
    ...{ id: newId(), bucket_id: bucketId, status: 'queued', phase: 'listing', started_by, position: null, ...none },
    ...{ refused_keys: '[]', refused_to: null, held_reason: null, detail: null, runner: null, leased_until: null },
    ...{ created_at, created_by: step.actor.user_id, started_at: null, finished_at: null },
    ...{ confirmed_at: null, confirmed_by: null },
  }
  await store.insertScan(tx, row)
  await store.updateAttachment(tx, bucketId, { scanned_at: created_at })
  return row
}
