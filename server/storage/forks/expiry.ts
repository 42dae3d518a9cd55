import { MINUTE_MS } from '../../base/time.ts'
import type { Ctx, Step } from '../../context.ts'
import { holdExclusivelyById } from '../buckets/change-mode.ts'
import { keepNothing, removeWhole } from '../buckets/fork-steps.ts'
import { sumUsage } from '../buckets/quotas/store.ts'
import { countUsage, holdAnyBucket } from '../buckets/service.ts'
import { leaving, noChange, sumChanges } from '../history/retire.ts'
import { letGo, nameWhileFilling } from '../history/snapshots/internal.ts'
import { hasContents } from '../history/store.ts'
import { releaseOrErase } from '../history/trash/service.ts'
import * as store from './store.ts'

const BATCH = 1000

/** Deletes forks whose time has come, and those that no job fills any more, with all that is in them. */
export const forkWorker = {
  name: 'fork-expiry',
  every: MINUTE_MS,
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    for (const id of await store.findExpired(ctx.db, ctx.now())) await ctx.act((step) => endFork(step, id))
    for (const id of await store.findAbandoned(ctx.db)) await ctx.act((step) => giveUp(step, id))
    for (const id of await store.findWithContents(ctx.db)) while (await removeBatch(ctx, id));
  },
}

/** Step: deletes a whole fork whose time has come: its name is free at once, and what is in it is deleted afterwards. */
async function endFork(step: Step, id: string) {
  const bucket = await holdExclusivelyById(step, id)
  if (!bucket || bucket.deleted_at !== null) return step.nothing(undefined)
  const { trash_bytes = 0 } = (await sumUsage(step.tx, [id])).get(id) ?? {}
  await removeWhole(step, bucket)
  const details = { trash_bytes, bucket_id: id, reason: 'expired' as const }
  step.record({ name: 'delete_bucket', bucket: bucket.name, details })
  return undefined
}

/** Step: deletes a fork that will not be whole. */
async function giveUp(step: Step, id: string) {
  const fork = await store.lockFork(step.tx, id)
  const placeholder = fork?.placeholder_id ? await holdExclusivelyById(step, fork.placeholder_id) : undefined
  if (!fork || !placeholder) return step.nothing(undefined)
  await store.updateFork(step.tx, id, { placeholder_id: null })
  await letGo(step, fork.origin_id, nameWhileFilling(id))
  await keepNothing(step, id)
  await removeWhole(step, placeholder)
  const details = { trash_bytes: 0, bucket_id: id, reason: 'unfinished' as const }
  step.record({ name: 'delete_bucket', bucket: placeholder.name, details })
  return undefined
}

/** Deletes the next objects, or versions, of a fork that was deleted; false when nothing is left. */
const removeBatch = (ctx: Ctx, id: string): Promise<boolean> =>
  ctx.act(async (step) => {
    const { tx, record } = step
    const bucket = await holdAnyBucket(tx, id)
    if (!bucket || bucket.deleted_at === null) return step.nothing(false)
    const objects = await store.deleteObjects(tx, id, BATCH)
    const versions = objects.length > 0 ? [] : await store.deleteVersions(tx, id, BATCH)
    if (objects.length + versions.length === 0) return step.nothing(false)
    const older = versions.filter(hasContents)
    const gone = leaving(older)
    await countUsage(tx, bucket, {
      ...sumChanges(leaving(objects), { ...noChange, ...gone, encrypted_objects: 0, version_bytes: gone.bytes }),
      objects: -objects.length,
    })
    const name = bucket.former_name ?? id
    const rows = [...objects, ...older]
    await releaseOrErase(step, name, rows)
    const bytes = rows.reduce((sum, { size }) => sum + size, 0)
    record({
      name: 'purge',
      bucket: name,
      details: { reason: 'bucket_deleted', objects: rows.length, bytes, bucket_id: id },
    })
    return true
  })
