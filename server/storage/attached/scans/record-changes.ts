import type { Ctx, Upkeep } from '../../../context.ts'
import type { RowChange } from '../../../db/schema.ts'
import { type Claim, renewed } from '../../../work/lease.ts'
import { type AnyBucket, holdAnyBucket } from '../../buckets/service.ts'
import { type Change, isReadOnlyAttached, recordExternalChanges } from '../../external-objects/apply-changes.ts'
import { ScanEnded } from './errors.ts'
import { lease } from './lease.ts'
import { mostOfScan } from './record-limit.ts'
import * as store from './store.ts'

/**
 * Makes changes that a scan has found, and notes its progress with them; returns what `recordExternalChanges` does. `work` is
 * given the bucket and the scan, both held, and returns what has changed and the scan's new columns.
 */
export async function recordScanChanges(
  ctx: Ctx,
  claim: Claim,
  { scan, visible }: { scan: store.ScanRow; visible: boolean },
  work: (
    step: Upkeep,
    bucket: AnyBucket,
    held: store.ScanRow,
  ) => Promise<{ changes: readonly Change[]; progress: RowChange<'scans'> }>,
): Promise<boolean> {
  const most = visible ? await mostOfScan(ctx, scan.bucket_id, scan) : 0
  return recordExternalChanges(ctx, { most, visible, scan_id: scan.id }, async (step) => {
    const { tx } = step
    const held = await lease.hold(tx, claim)
    const bucket = await holdAnyBucket(tx, scan.bucket_id)
    if (!isReadOnlyAttached(bucket)) throw new ScanEnded()
    const { changes, progress } = await work(step, bucket, held)
    const recorded = held.recorded + Math.min(most, changes.length)
    await store.updateScan(tx, held.id, { ...progress, recorded, ...renewed(step) })
    return { bucket: bucket.name, changes }
  })
}

/** How many changes are of these kinds. */
export const countOf = (changes: readonly Change[], ...kinds: readonly Change['change'][]): number =>
  changes.filter(({ change }) => kinds.includes(change)).length
