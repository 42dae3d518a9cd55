import type { HeldReason } from '../../../../contract/scans.ts'
import { systemActor } from '../../../access/actors.ts'
import type { Ctx, Step } from '../../../context.ts'
import { isDatabaseOutage } from '../../../db/errors.ts'
import { explain } from '../../../drivers/explain.ts'
import { ListingDisordered } from '../../../drivers/external.ts'
import { type Claim, renewed } from '../../../work/lease.ts'
import { unclaimed } from '../../../work/store.ts'
import { holdExclusivelyById } from '../../buckets/change-mode.ts'
import { sumUsage } from '../../buckets/quotas/store.ts'
import { type HeldBucket, holdAnyBucket } from '../../buckets/service.ts'
import { endFindings } from '../findings/service.ts'
import { ScanEnded, Unreadable } from './errors.ts'
import { lease } from './lease.ts'
import * as store from './store.ts'
import { takeOverStep } from './take-over.ts'

/** What may be missing without anybody being asked: so many objects, or this part of them. */
const FEW = 100
const SMALL_PART = 0.05

const numbered = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'object' : 'objects'}`

/** Why a list that was read to its end is not believed; null if it is. */
async function doubtAbout(step: Step, scan: store.ScanRow): Promise<{ reason: HeldReason; detail: string } | null> {
  const { seen, refused, absent } = scan
  if (absent === 0) return null
  if (seen === 0 && refused === 0)
    return {
      reason: 'empty',
      detail: `The storage lists nothing, where ${numbered(absent)} ${absent === 1 ? 'was' : 'were'}. Look whether it is the right bucket and whether its data is there.`,
    }
  const all = (await sumUsage(step.tx, [scan.bucket_id])).get(scan.bucket_id)?.objects ?? 0
  if (absent <= Math.max(FEW, all * SMALL_PART)) return null
  return {
    reason: 'many_missing',
    detail: `The storage does not list ${numbered(absent)} of ${all.toLocaleString('en')} any more. Confirm the scan if they were deleted there.`,
  }
}

/** Ends the listing of a scan: true if what is absent is to be marked now, false if the scan is held. */
export async function endListing(ctx: Ctx, claim: Claim): Promise<boolean> {
  const held = await ctx.as(systemActor).act(async (step) => {
    const scan = await lease.hold(step.tx, claim)
    const bucket = await liveBucket(step, scan)
    const doubt = await doubtAbout(step, scan)
    if (!doubt) return step.nothing(false)
    await endStep(step, scan, bucket, { status: 'held', held_reason: doubt.reason, detail: doubt.detail })
    return true
  })
  if (held) return false
  await ctx.upkeep(async (step) => {
    const { id } = await lease.hold(step.tx, claim)
    await store.updateScan(step.tx, id, { phase: 'marking', ...renewed(step) })
  })
  return true
}

/** Ends a scan that has marked all that was absent; one that is to take the bucket over does that if nothing was changed. */
export const succeed = (ctx: Ctx, claim: Claim): Promise<void> =>
  ctx.as(systemActor).act(async (step) => {
    const scan = await lease.hold(step.tx, claim)
    if (scan.take_over !== null) await holdExclusivelyById(step, scan.bucket_id)
    const bucket = await liveBucket(step, scan)
    const detail = scan.take_over === null ? null : await takeOverStep(step, scan, bucket)
    const ending = detail === null ? ENDED : { status: 'held' as const, held_reason: 'changed' as const, detail }
    await endStep(step, scan, bucket, ending)
    await store.updateAttachment(step.tx, scan.bucket_id, { as_of: scan.started_at })
  })
const ENDED = { status: 'succeeded', held_reason: null, detail: null } as const

/** Ends a scan of a bucket that was taken over. What it did not find any more is no finding. */
export const endReview = (ctx: Ctx, claim: Claim): Promise<void> =>
  ctx.as(systemActor).act(async (step) => {
    const scan = await lease.hold(step.tx, claim)
    const bucket = await liveBucket(step, scan)
    await endStep(step, scan, bucket, ENDED)
    await store.updateAttachment(step.tx, scan.bucket_id, { as_of: scan.started_at })
    await endFindings(step, bucket, { id: scan.id, since: scan.started_at ?? scan.created_at })
  })

/** Ends a scan that an error keeps from going on; nothing is marked. */
export async function fail(ctx: Ctx, claim: Claim, reason: string, error: unknown): Promise<void> {
  try {
    if (error instanceof ScanEnded) throw error
    await ctx.as(systemActor).act(async (step) => {
      const scan = await lease.hold(step.tx, claim)
      const bucket = await liveBucket(step, scan)
      const detail = isOfStorage(error) ? explain(error) : reason
      // What was confirmed can be confirmed again.
      await endStep(step, scan, bucket, { status: 'held', held_reason: scan.held_reason ?? causeOf(error), detail })
    })
  } catch (ended) {
    if (!(ended instanceof ScanEnded)) throw ended
    const finished_at = ctx.now().toISOString()
    await ctx.upkeep(async ({ tx }) => {
      const { id } = await lease.hold(tx, claim)
      await store.updateScan(tx, id, { status: 'superseded', finished_at, ...unclaimed })
    })
  }
}

const causeOf = (error: unknown): HeldReason => {
  if (error instanceof ListingDisordered) return 'disordered'
  return error instanceof Unreadable ? 'unreadable' : 'listing_failed'
}

/** Whether an error comes from a call to a storage. */
const isOfStorage = (error: unknown): boolean =>
  error instanceof ListingDisordered ||
  (error instanceof Error && !isDatabaseOutage(error) && ('outage' in error || 'status' in error))

/** Step: the bucket of a scan; throws ScanEnded if it was released. */
async function liveBucket({ tx }: Step, { bucket_id }: store.ScanRow): Promise<HeldBucket> {
  const bucket = await holdAnyBucket(tx, bucket_id)
  if (!bucket || bucket.deleted_at !== null) throw new ScanEnded()
  return bucket
}

async function endStep(
  step: Step,
  scan: store.ScanRow,
  bucket: HeldBucket,
  ending: { status: 'succeeded' | 'held'; held_reason: HeldReason | null; detail: string | null },
): Promise<void> {
  const { tx, record } = step
  const { id, bucket_id, started_by: trigger, seen, added, changed, absent, missing, removed, refused } = scan
  const finished_at = step.now().toISOString()
  await store.updateScan(tx, id, {
    ...ending,
    ...(ending.status === 'held' ? { phase: 'listing' } : {}),
    finished_at,
    ...unclaimed,
  })
  await store.supersede(tx, bucket_id, id)
  const { status, held_reason } = ending
  const counts = { seen, added, changed, absent, missing, removed, refused }
  record({
    name: 'scan',
    bucket: bucket.name,
    resource: { type: 'scan', id },
    details: { scan_id: id, trigger, status, held_reason, ...counts },
  })
}
