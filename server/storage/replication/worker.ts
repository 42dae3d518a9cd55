import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../base/id.ts'
import { perSystem } from '../../base/per-system.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { explain } from '../../drivers/explain.ts'
import { telemetryOf } from '../../observe/telemetry.ts'
import { isFinal, isOfReplica, reasonOf, replicate } from './copy.ts'
import { type Held, hold } from './hold.ts'
import * as lookups from './lookups.ts'
import * as store from './store.ts'

/** Rows of a bucket that a process takes at once, and works on at a time. */
const BATCH = 16
const AT_ONCE = 4
/** Objects that were there before are queued so many at a time, while fewer than the other number wait. */
const FILL = 200
const WAITING = 1000
/** How long a run of the worker waits for buckets that take longer; these go on. */
const ROUND_MS = SECOND_MS
/** Attempts of a row, the first of which wait for so long, and the others twice as long each. */
const MOST_ATTEMPTS = 8
const AGAIN_MS = 5 * SECOND_MS
/** A replica that cannot be reached is tried again after twice as long each time, up to the other. */
const AWAY_MS = SECOND_MS
const LONGEST_AWAY_MS = 5 * MINUTE_MS

const runningOf = perSystem(() => new Map<string, Promise<void>>())

/**
 * Brings the replicas of buckets up to date. Any number of processes may: each takes rows and holds them, and of a key only
 * one at a time is held. A bucket whose replica is slow does not keep the others waiting.
 */
export const replicator = {
  name: 'replication',
  every: SECOND_MS,
  async run(ctx: Ctx): Promise<void> {
    const running = runningOf(ctx.config)
    for (const { bucket_id, paused_at } of await store.listReplications(ctx.db)) {
      if (paused_at !== null || running.has(bucket_id)) continue
      const work = workOn(ctx, bucket_id)
        .catch((error: unknown) => ctx.log.error({ err: error, bucket_id }, 'the replication of a bucket failed'))
        .finally(() => running.delete(bucket_id))
      running.set(bucket_id, work)
      ctx.background(work)
    }
    if (running.size > 0)
      await Promise.race([Promise.all(running.values()), pause(ROUND_MS, undefined, { ref: false })])
  },
}

/** Works on a bucket until nothing is due, or its replica is away. */
async function workOn(ctx: Ctx, bucketId: string): Promise<void> {
  while (!ctx.stopping.aborted) {
    const token = newId()
    const held = hold(ctx, token)
    try {
      const rows = await ctx.upkeep(async (step) => {
        const row = await store.lockForClaim(step.tx, bucketId)
        const now = step.now()
        if (!row || row.paused_at !== null || (row.retry_at !== null && row.retry_at > now.toISOString()))
          return step.nothing(undefined)
        const claimed = await store.claimQueued(step.tx, { bucketId, now, until: held.from(now), token, limit: BATCH })
        return claimed.length === 0 ? step.nothing(claimed) : claimed
      })
      if (!rows) return
      if (rows.length === 0) {
        if (await fill(ctx, bucketId)) continue
        return
      }
      if (!(await workOnAll(ctx, { bucketId, rows, token, held }))) return
    } finally {
      held.end()
    }
  }
}

/** Queues some of the objects that were there before; resolves to whether it did. */
async function fill(ctx: Ctx, bucketId: string): Promise<boolean> {
  const replica = await store.findReplicationOf(ctx.db, bucketId)
  if (!replica || replica.walked_to === null) return false
  if ((await lookups.countWaiting(ctx.db, bucketId, WAITING)) >= WAITING) return false
  return ctx.upkeep(async (step) => {
    const { tx } = step
    const row = await store.lockForClaim(tx, bucketId)
    if (!row || row.walked_to === null) return step.nothing(false)
    const since = step.now().getTime() * 1000
    const { walked_to: after, walk_before: before } = row
    const last = await store.queueExisting(tx, { bucketId, after, before, limit: FILL, since })
    await store.updateReplication(tx, bucketId, { walked_to: last ?? null })
    return last !== undefined
  })
}

interface Batch {
  bucketId: string
  rows: readonly store.QueueRow[]
  token: string
  held: Held
}

/** Resolves to whether the replica could be written to. */
async function workOnAll(ctx: Ctx, { bucketId, rows, token, held }: Batch): Promise<boolean> {
  const replica = await store.findReplicationOf(ctx.db, bucketId)
  let away: unknown
  const waiting = [...rows]
  const workNext = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift())
      if (!replica || away !== undefined || ctx.stopping.aborted || held.work.signal.aborted)
        await giveBack(ctx, row, token, row)
      else away ??= await workOnOne(ctx, { replica, row, token, held })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, workNext))
  if (!replica) return false
  if (away !== undefined) {
    ctx.log.warn({ err: away, bucket: replica.bucket }, 'a replica cannot be written; it will be tried again')
    const failures = replica.failures + 1
    const retry_at = new Date(ctx.now().getTime() + Math.min(LONGEST_AWAY_MS, AWAY_MS * 2 ** Math.min(failures, 10)))
    const change = { error: explain(away), failures, retry_at: retry_at.toISOString() }
    await ctx.upkeep(({ tx }) => store.updateReplication(tx, bucketId, change))
    return false
  }
  if (replica.failures > 0)
    await ctx.upkeep(({ tx }) => store.updateReplication(tx, bucketId, { error: null, failures: 0, retry_at: null }))
  return true
}

interface One {
  replica: store.Replicated
  row: store.QueueRow
  token: string
  held: Held
}

/** Resolves to the error because of which nothing can be written, if there is one. */
async function workOnOne(ctx: Ctx, { replica, row, token, held }: One): Promise<unknown> {
  const count = (outcome: string) => telemetryOf(ctx.config).metrics.strongroom_replicated_total.inc({ outcome })
  try {
    const done = await replicate(ctx, replica, row, held.work)
    if (typeof done === 'object') {
      await giveBack(ctx, row, token, { attempts: row.attempts + 1, next_at: null, reason: done.refused })
      count('failed')
      return undefined
    }
    await ctx.upkeep(({ tx }) => store.finishQueued(tx, row, token), { relaxed: true })
    if (done !== 'over') count(done)
    return undefined
  } catch (error) {
    // It is another process's by now, or will be the next one's.
    if (held.work.signal.aborted || ctx.stopping.aborted) {
      await giveBack(ctx, row, token, row)
      return undefined
    }
    if (isOfReplica(error)) {
      await giveBack(ctx, row, token, row)
      return error
    }
    const attempts = row.attempts + 1
    const hasFailed = isFinal(error) || attempts >= MOST_ATTEMPTS
    const again = new Date(ctx.now().getTime() + Math.min(HOUR_MS, AGAIN_MS * 2 ** row.attempts))
    ctx.log.warn({ err: error, bucket: replica.bucket, key: row.key, hasFailed }, 'an object could not be replicated')
    await giveBack(ctx, row, token, {
      attempts,
      next_at: hasFailed ? null : again.toISOString(),
      reason: hasFailed ? reasonOf(error) : null,
    })
    if (hasFailed) count('failed')
    return undefined
  }
}

const giveBack = (
  ctx: Ctx,
  row: store.QueueRow,
  token: string,
  { attempts, next_at, reason }: Pick<store.QueueRow, 'attempts' | 'next_at' | 'reason'>,
) => ctx.upkeep(({ tx }) => store.giveBackQueued(tx, row, token, { attempts, next_at, reason }))
