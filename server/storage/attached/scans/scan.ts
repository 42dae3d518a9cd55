import { DAY_MS, HOUR_MS } from '../../../base/time.ts'
import type { Ctx } from '../../../context.ts'
import { isStorageOutage } from '../../../drivers/driver.ts'
import { ListingDisordered } from '../../../drivers/external.ts'
import type { Claim } from '../../../work/lease.ts'
import { drain } from '../../../work/steps.ts'
import { compareStep } from './compare.ts'
import { ScanEnded, Unreadable } from './errors.ts'
import { endListing, endReview, fail, succeed } from './finish.ts'
import { lease } from './lease.ts'
import { readListing } from './listing.ts'
import { markStep } from './mark.ts'
import { reorder, sorting } from './order.ts'
import { readStep } from './read.ts'
import { reviewStep } from './review.ts'
import { queueDue } from './schedule.ts'
import * as store from './store.ts'

const FEWEST_A_STEP = 250
const FORGOTTEN_MS = 90 * DAY_MS

/** Works on scans that no process has claimed, two at a time per process, until none is left. */
export const runScans = drain({
  lease,
  noun: 'scan',
  logField: 'scan',
  fewest: FEWEST_A_STEP,
  async begin(ctx, row, claim) {
    let step = await stepsOf(ctx, row, claim)
    return async (size) => {
      try {
        return await step(size)
      } catch (error) {
        if (!(await reorder(ctx, claim, error))) throw error
        step = await stepsOf(ctx, await lease.find(ctx.db, claim), claim)
        return true
      }
    }
  },
  // What the storage refuses, it refuses the next time as well.
  isEnd: (error) =>
    [ListingDisordered, ScanEnded, Unreadable].some((kind) => error instanceof kind) || isRefusal(error),
  fail,
})

/** The step of a scan from where it is, as `LongWork` has it. */
async function stepsOf(ctx: Ctx, row: store.ScanRow, claim: Claim): Promise<(size: number) => Promise<boolean>> {
  const { bucket_id, position } = row
  const attachment = await store.findAttachment(ctx.db, bucket_id)
  if (!attachment)
    return () => {
      throw new ScanEnded()
    }
  const { storage_id, prefix, taken_over_at } = attachment
  const order = attachment.key_order ?? 'bytes'
  // Whether it is on is to be known now.
  ctx.blobs.refresh(storage_id)
  let listing: ReturnType<typeof readListing> | undefined
  let { phase } = row
  const after = phase === 'listing' && position !== null ? prefix + position : undefined
  const sorted = sorting(ctx, claim, attachment)
  return async (size) => {
    const engine = await ctx.blobs.source(storage_id)
    if (phase === 'reading') {
      if (!(await readStep(ctx, claim, attachment, engine))) phase = 'listing'
      return true
    }
    if (phase === 'marking') {
      if (await markStep(ctx, claim, attachment, engine)) return true
      await succeed(ctx, claim)
      return false
    }
    if (order === 'segments' && !(await sorted())) return true
    listing ??= readListing(engine, { prefix, after, order }, ctx.now)
    const listed = await listing.peek(size)
    if (taken_over_at !== null) {
      const { compared, done } = await reviewStep(ctx, claim, { place: attachment, engine }, listed)
      listing.drop(listed, compared)
      if (done) await endReview(ctx, claim)
      return !done
    }
    const { compared, done } = await compareStep(ctx, claim, attachment, listed)
    if (compared !== null) listing.drop(listed, compared)
    if (!done) return true
    if (!(await endListing(ctx, claim))) return false
    phase = 'marking'
    return true
  }
}

const isRefusal = (error: unknown): boolean => error instanceof Error && 'status' in error && !isStorageOutage(error)

export const scanWorker = {
  name: 'attached-scans',
  every: 1000,
  async run(ctx: Ctx): Promise<void> {
    await queueDue(ctx)
    await runScans(ctx)
  },
}

/** Deletes what is known of scans that ended long ago. */
export const forgetScans = {
  name: 'scan-expiry',
  every: HOUR_MS,
  deletesByAge: true as const,
  run: async (ctx: Ctx): Promise<void> =>
    void (await ctx.upkeep(({ tx }) => store.deleteOldScans(tx, new Date(ctx.now().getTime() - FORGOTTEN_MS)))),
}
