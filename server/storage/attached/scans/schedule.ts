import { newId } from '../../../base/id.ts'
import { DAY_MS, HOUR_MS } from '../../../base/time.ts'
import type { Ctx, Upkeep } from '../../../context.ts'
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

/** How a bucket is to be taken over at the end of a scan. */
export interface TakingOver {
  quiet_hours: number
  /** The name of the storage for new bytes. */
  storage: string
  /** How many objects that are marked as missing are left out; without it, there must be none. */
  without_missing?: number | undefined
  /** When others had last changed something. */
  changed_at: string | null
}

/** Step: queues a scan, unless one is queued or running; returns either. The attachment is locked, or new. */
export const queueScan = async (
  step: Upkeep,
  bucketId: string,
  started_by: Exclude<store.ScanRow['started_by'], 'take_over'>,
): Promise<store.ScanRow> => (await store.findOpenScan(step.tx, bucketId)) ?? insertScan(step, bucketId, { started_by })

/**
 * Step: queues the scan that takes a bucket over at its end; undefined if another one is queued or running, or the bucket
 * was released.
 */
export async function queueTakeOver(
  step: Upkeep,
  bucketId: string,
  how: Omit<TakingOver, 'changed_at'>,
): Promise<store.ScanRow | undefined> {
  const attachment = await store.lockAttachment(step.tx, bucketId)
  if (!attachment || (await store.findOpenScan(step.tx, bucketId))) return undefined
  const taking: TakingOver = { ...how, changed_at: attachment.changed_at }
  return insertScan(step, bucketId, { started_by: 'take_over', phase: 'reading', take_over: JSON.stringify(taking) })
}

async function insertScan(
  step: Upkeep,
  bucketId: string,
  kind: Pick<store.ScanRow, 'started_by'> & Partial<store.ScanRow>,
): Promise<store.ScanRow> {
  const { tx } = step
  const created_at = step.now().toISOString()
  const none = { seen: 0, added: 0, changed: 0, absent: 0, missing: 0, removed: 0, refused: 0, recorded: 0 }
  const row: store.ScanRow = {
    id: newId(),
    bucket_id: bucketId,
    status: 'queued',
    phase: 'listing',
    position: null,
    ...none,
    refused_keys: '[]',
    refused_to: null,
    held_reason: null,
    detail: null,
    runner: null,
    leased_until: null,
    created_at,
    created_by: step.actor.user_id,
    started_at: null,
    finished_at: null,
    confirmed_at: null,
    confirmed_by: null,
    take_over: null,
    reordered: null,
    ...kind,
  }
  await store.insertScan(tx, row)
  await store.updateAttachment(tx, bucketId, { scanned_at: created_at })
  return row
}
