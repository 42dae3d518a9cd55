import { ServiceError } from '../../../../contract/errors.ts'
import { asCurrent, type Ctx, currentActor, type Step } from '../../../context.ts'
import { type Claim, renewed } from '../../../work/lease.ts'
import { holdExclusivelyById } from '../../buckets/change-mode.ts'
import { takeName } from '../../buckets/fork-steps.ts'
import { sumUsage } from '../../buckets/quotas/store.ts'
import { bucketMissing, holdAnyBucket } from '../../buckets/service.ts'
import { findBucketName } from '../../buckets/store.ts'
import { fillNext, holdForkOf, noteProgress } from '../../forks/fill.ts'
import { forgetBefore } from '../../history/former/expiry.ts'
import { keepBeginning, letGo, nameWhileFilling } from '../../history/snapshots/internal.ts'
import { lease } from '../lease.ts'
import type { CreateJob } from '../request.ts'
import * as store from '../store.ts'

const over = () => new ServiceError('conflict', 'The bucket is not being filled any more.')

/** Begins with as many objects as the origin has; how many are under the prefix is not counted first. */
export async function beginFork(ctx: Ctx, claim: Claim): Promise<void> {
  await ctx.upkeep(async (step) => {
    const { id } = await lease.hold(step.tx, claim)
    const fork = await holdForkOf(step, id)
    if (!fork) throw over()
    const objects = (await sumUsage(step.tx, [fork.origin_id])).get(fork.origin_id)?.objects ?? 0
    const listed_at = step.now().toISOString()
    await store.updateJob(step.tx, id, { total: Math.max(1, objects), listed_at, ...renewed(step) })
  })
}

/** Takes the next objects; in the end the fork gets its name. */
export async function forkStep(
  ctx: Ctx,
  claim: Claim,
  { request, size }: { request: CreateJob; size: number },
): Promise<void> {
  const isOver = await ctx.upkeep(async (step) => {
    const { tx } = step
    const held = await lease.hold(tx, claim)
    const fork = await holdForkOf(step, held.id)
    const bucket = fork && (await holdAnyBucket(tx, fork.bucket_id))
    if (!fork || !bucket) throw over()
    const { origin_id, origin_moment, prefix, filled_to, ...sum } = fork
    const name = await findBucketName(tx, origin_id)
    if (name === undefined) throw bucketMissing(request.source_bucket)
    const actor = await currentActor(step)
    const filled = await fillNext(
      { ...step, actor },
      { ...bucket, name: request.dest_bucket ?? '' },
      { id: origin_id, name, prefix, moment: Number(origin_moment) },
      { after: filled_to, limit: size },
    )
    const objects = Number(sum.objects) + filled.objects
    const erased = Number(sum.erased) + filled.erased
    await noteProgress(step, fork.bucket_id, { objects, erased, filled_to: filled.last })
    const total = Math.max(held.total, objects + erased + 1)
    // Less than all until it has its name.
    const position = objects + erased
    await store.updateJob(tx, held.id, { total, position, done: objects, failed: erased, ...renewed(step) })
    return filled.isOver
  })
  if (isOver) await ctx.act(async (step) => finishFork(await asCurrent(step), claim))
}

/** Step: gives a whole fork its name, and leaves its origin alone. */
async function finishFork(step: Step, claim: Claim): Promise<void> {
  const { tx } = step
  const held = await lease.hold(tx, claim)
  const fork = await holdForkOf(step, held.id)
  if (!fork || fork.placeholder_id === null) throw over()
  const placeholder = await holdExclusivelyById(step, fork.placeholder_id)
  const bucket = await holdExclusivelyById(step, fork.bucket_id)
  if (!placeholder || placeholder.deleted_at !== null || !bucket) throw over()
  const { bucket_id, origin_id } = fork
  const { name } = placeholder
  const now = step.now().toISOString()
  await takeName(step, bucket_id, placeholder)
  await forgetBefore(step, bucket_id, await keepBeginning(step, bucket_id))
  await letGo(step, origin_id, nameWhileFilling(bucket_id))
  await noteProgress(step, bucket_id, { placeholder_id: null, filled_at: now })
  const [objects, erased] = [Number(fork.objects), Number(fork.erased)]
  const total = objects + erased
  await store.updateJob(tx, held.id, { total, position: total, ...renewed(step) })
  const details = { before: { fork: 'filling' }, after: { fork: 'whole', objects, erased } }
  step.record({ name: 'update_bucket', bucket: name, details })
}
