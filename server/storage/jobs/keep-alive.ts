import { SECOND_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { type Claim, renewed } from '../../work/lease.ts'
import { Interrupted } from '../../work/steps.ts'
import { lease } from './lease.ts'
import * as store from './store.ts'

const RENEW_MS = 15 * SECOND_MS

/**
 * To be called while a step of a job copies bytes, as often as one likes: keeps the claim, and throws Interrupted when the
 * process is stopping or the job is to be cancelled.
 */
export function keepAlive(ctx: Ctx, claim: Claim): () => Promise<void> | undefined {
  let renewedAt = ctx.now().getTime()
  let renewal: Promise<void> | undefined
  const renew = async () => {
    const isCancelled = await ctx.upkeep(async (step) => {
      const { id, cancel_at } = await lease.hold(step.tx, claim)
      await store.updateJob(step.tx, id, renewed(step))
      return cancel_at !== null
    })
    if (isCancelled) throw new Interrupted()
  }
  return () => {
    if (ctx.stopping.aborted) throw new Interrupted()
    const now = ctx.now().getTime()
    if (!renewal && now - renewedAt >= RENEW_MS) {
      renewedAt = now
      renewal = renew().finally(() => {
        renewal = undefined
      })
    }
    return renewal
  }
}
