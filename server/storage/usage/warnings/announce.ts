import { setImmediate as nextTurn } from 'node:timers/promises'
import { enqueueMail } from '../../../access/mail/enqueue.ts'
import { bucketFilling } from '../../../access/mail/messages.ts'
import { MINUTE_MS } from '../../../base/time.ts'
import type { Ctx, Upkeep } from '../../../context.ts'
import { sumUsage, type Usage } from '../../buckets/quotas/store.ts'
import { type HeldBucket, heldOf, quotaBytes } from '../../buckets/service.ts'
import { findBucketById } from '../../buckets/store.ts'
import * as warningStore from './store.ts'

/** Buckets per query. */
const PAGE = 500
/** The percentages of its quota at which a bucket is announced, highest first. */
const LEVELS = [95, 80]
/** A level counts as left once a bucket is this far below it: one that stays near it is announced once. */
const MARGIN_PERCENT = 5

/** What a bucket holds of its quota, and what was announced of it. */
interface Filled extends Pick<HeldBucket, 'quota_includes_history'> {
  quota_gb: number
  usage: Usage | undefined
  warned: warningStore.Warning | undefined
}

/** The highest level that a percentage reaches; 0 for none. */
const levelAt = (percent: number): number => LEVELS.find((level) => percent >= level) ?? 0

/** The level to remember of a bucket. The margin is for writers: a new quota counts as it is. */
function levelOf({ quota_gb, usage, warned, ...bucket }: Filled): number {
  const percent = ((usage ? heldOf(bucket, usage) : 0) / quotaBytes(quota_gb)) * 100
  const reached = levelAt(percent)
  if (!warned || warned.quota_gb !== quota_gb) return reached
  return Math.max(reached, Math.min(warned.percent, levelAt(percent + MARGIN_PERCENT)))
}

/** The level to store, and whether it is to be announced; undefined where that is the one stored. */
function changeOf(filled: Filled): { level: number; rises: boolean } | undefined {
  const { quota_gb, warned } = filled
  const level = levelOf(filled)
  const stored = warned?.percent ?? 0
  if (level === stored && (!warned || warned.quota_gb === quota_gb)) return undefined
  return { level, rises: level > stored }
}

/**
 * Step: stores the level of a bucket as it is now; undefined where nothing changed. Holds its quota, so that processes
 * that look at the same time do so one after the other.
 */
async function follow({ tx }: Upkeep, bucketId: string) {
  const quota = await warningStore.lockQuota(tx, bucketId)
  const bucket = await findBucketById(tx, bucketId)
  if (!quota || !bucket) return undefined
  const { quota_gb } = quota
  const { name, quota_includes_history } = bucket
  const usage = (await sumUsage(tx, [bucketId])).get(bucketId)
  const warned = await warningStore.findWarning(tx, bucketId)
  const change = changeOf({ quota_gb, quota_includes_history, usage, warned })
  if (!change) return undefined
  if (change.level === 0) await warningStore.deleteWarning(tx, bucketId)
  else await warningStore.putWarning(tx, { bucket_id: bucketId, percent: change.level, quota_gb })
  const figures = {
    used_bytes: usage?.bytes ?? 0,
    reserved_bytes: usage?.reserved ?? 0,
    ...(quota_includes_history === 1 ? { history_bytes: usage?.history_bytes ?? 0 } : {}),
    quota_gb,
  }
  return { name, rises: change.rises, details: { percent: change.level, ...figures } }
}

/** Announces that a bucket has reached a level, to administrators also by mail, unless that is no longer so. */
const announce = (ctx: Ctx, bucketId: string): Promise<void> =>
  ctx.act(async (step) => {
    const found = await follow(step, bucketId)
    if (!found?.rises) return step.nothing(undefined)
    const { name, details } = found
    step.record({ name: 'quota_warning', bucket: name, details })
    await enqueueMail(step, {
      kind: 'quota_warning',
      about: `${bucketId}:${details.percent}%:${step.now().toISOString()}`,
      to: 'administrators',
      message: bucketFilling({ bucket: name, ...details }),
    })
  })

/** Remembers that a bucket has left a level, or has another quota. */
const forget = (ctx: Ctx, bucketId: string): Promise<void> =>
  ctx.upkeep(async (step) => ((await follow(step, bucketId))?.rises ? step.nothing(undefined) : undefined))

/** Announces, once for each level, the buckets that fill up. */
export const quotaWarnings = {
  name: 'quota-warnings',
  every: MINUTE_MS,
  async run(ctx: Ctx): Promise<void> {
    for (let after = ''; !ctx.stopping.aborted; ) {
      const page = await warningStore.listQuotas(ctx.db, after, PAGE)
      const held = await sumUsage(
        ctx.db,
        page.map(({ bucket_id }) => bucket_id),
      )
      for (const { bucket_id, quota_gb, quota_includes_history, percent, warned_quota_gb } of page) {
        const warned = percent === null || warned_quota_gb === null ? undefined : { percent, quota_gb: warned_quota_gb }
        const change = changeOf({ quota_gb, quota_includes_history, usage: held.get(bucket_id), warned })
        if (change) await (change.rises ? announce : forget)(ctx, bucket_id)
      }
      after = page.at(-1)?.bucket_id ?? after
      if (page.length < PAGE) return
      await nextTurn()
    }
  },
}
