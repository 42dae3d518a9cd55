import type { Ctx } from '../../../context.ts'
import { ListingDisordered } from '../../../drivers/external.ts'
import { type Claim, renewed } from '../../../work/lease.ts'
import { notePlaces } from '../../external-objects/apply-changes.ts'
import { listUnsorted } from '../../external-objects/scan-state/store.ts'
import { lease } from './lease.ts'
import * as store from './store.ts'

/** Rows of a step: each is an update. */
const ROWS = 500

/**
 * Has a scan begin its list again because of an error that says that the engine lists in the other order, which is noted for
 * the scans after it. At most once per scan: an engine that lists now so and now so is in no order. False if it does not.
 */
export async function reorder(ctx: Ctx, claim: Claim, error: unknown): Promise<boolean> {
  if (!(error instanceof ListingDisordered) || error.order === undefined) return false
  const key_order = error.order === 'segments' ? error.order : null
  const done = await ctx.upkeep(async (step) => {
    const { tx } = step
    const { id, bucket_id, reordered } = await lease.hold(tx, claim)
    const attachment = await store.lockAttachment(tx, bucket_id)
    if (!attachment || reordered !== null || attachment.key_order === key_order) return false
    await store.updateAttachment(tx, bucket_id, { key_order })
    // Findings are counted from the start. What others have changed in a read-only bucket was found only once.
    const findings = attachment.taken_over_at === null ? {} : { added: 0, changed: 0, missing: 0 }
    await store.updateScan(tx, id, {
      position: null,
      seen: 0,
      absent: 0,
      refused: 0,
      refused_keys: '[]',
      refused_to: null,
      reordered: 1,
      ...findings,
      ...renewed(step),
    })
    return true
  })
  if (done)
    ctx.log.info({ scan: claim.id, order: error.order }, 'an engine lists in another order; its scan starts again')
  return done
}

/**
 * Steps that note of a bucket's objects where they are in a list by path segments, if that is not noted yet: after the order
 * was found out, and of rows that an earlier release has written. Each resolves to whether none is left.
 */
export function sorting(ctx: Ctx, claim: Claim, { bucket_id }: store.Attachment): () => Promise<boolean> {
  let after: string | null = ''
  return async () => {
    if (after === null) return true
    const rows = await listUnsorted(ctx.db, bucket_id, after, ROWS)
    after = rows.at(-1)?.key ?? null
    if (after === null) return true
    await ctx.upkeep(async (step) => {
      const { id } = await lease.hold(step.tx, claim)
      await notePlaces(step, rows)
      await store.updateScan(step.tx, id, renewed(step))
    })
    return false
  }
}
