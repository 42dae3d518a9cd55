import { setImmediate as nextTurn } from 'node:timers/promises'
import { atStop } from '../../at-stop.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { sumUsage } from '../buckets/quotas/store.ts'
import { KEPT_MS, startOf } from './periods.ts'
import * as store from './store.ts'
import { type Counts, giveBack, takeCounts } from './traffic.ts'

/** Buckets per transaction. */
const PAGE = 200
const SAMPLES_KEPT_MS = 48 * HOUR_MS
const steps = ['hour', 'day'] as const
const nothing = { uploaded_bytes: 0, downloaded_bytes: 0, requests: 0 }

/** Stores what was counted since the last time. On failure, counting continues with these counts included. */
async function flushTraffic(ctx: Ctx): Promise<void> {
  const counts = takeCounts(ctx)
  for (let i = 0; i < counts.length; i += PAGE)
    try {
      await ctx.upkeep((step) => write(step, counts.slice(i, i + PAGE)), { relaxed: true })
    } catch (error) {
      giveBack(ctx, counts.slice(i))
      throw error
    }
}

// A failure loses the last counts and nothing else.
atStop('write', (ctx) =>
  flushTraffic(ctx).catch((error: unknown) => ctx.log.warn({ err: error }, 'the last traffic counts were lost')),
)

/** Step: adds counts to their hours and days, with what their buckets hold now. */
async function write({ tx, now }: Upkeep, counts: readonly Counts[]): Promise<void> {
  const ids = counts.flatMap(({ id }) => id ?? [])
  const live = await store.findLive(
    tx,
    counts.flatMap(({ name }) => name ?? []),
    ids,
  )
  const byName = new Map(live.map(({ id, name }) => [name, id]))
  const there = new Set(live.map(({ id }) => id))
  const known = new Set([...there, ...(await store.findCounted(tx, ids))])
  const rows = new Map<string, store.HistoryRow>()
  for (const { hour, id, name, ...traffic } of counts) {
    const found = id ?? byName.get(name ?? '') ?? store.NO_BUCKET
    // The name of a bucket that was created and deleted within a minute cannot be resolved.
    const bucket_id = known.has(found) ? found : store.NO_BUCKET
    for (const step of steps) {
      const time = startOf(step, hour * HOUR_MS)
      const row = rows.get(`${step} ${bucket_id} ${time}`)
      if (row) {
        row.uploaded_bytes += traffic.uploaded_bytes
        row.downloaded_bytes += traffic.downloaded_bytes
        row.requests += traffic.requests
      } else
        rows.set(`${step} ${bucket_id} ${time}`, {
          step,
          bucket_id,
          time,
          used_bytes: null,
          object_count: null,
          ...traffic,
        })
    }
  }
  const held = await sumUsage(tx, [...there])
  const at = now().getTime()
  // Counts of a past hour say nothing about what was stored in it.
  for (const row of rows.values())
    if (there.has(row.bucket_id) && row.time === startOf(row.step, at)) {
      row.used_bytes = held.get(row.bucket_id)?.bytes ?? 0
      row.object_count = held.get(row.bucket_id)?.objects ?? 0
    }
  if (live.length > 0) await store.addBuckets(tx, live)
  // Always in the same order, so that two processes wait for each other at most once.
  await store.addHistory(
    tx,
    [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
  )
}

/**
 * Stores what every bucket holds, once an hour by whichever process is first: one page of buckets per transaction,
 * which also stores the position. Returns whether this process finished it.
 */
async function sampleHeld(ctx: Ctx): Promise<boolean> {
  const now = ctx.now()
  const hour = startOf('hour', now.getTime())
  if ((await store.findSample(ctx.db, hour))?.finished_at) return false
  for (;;) {
    const state = await ctx.upkeep(({ tx }) => samplePage(tx, hour, now), { relaxed: true })
    if (state !== 'more') return state === 'finished'
    await nextTurn()
  }
}

async function samplePage(tx: Tx, hour: string, now: Date): Promise<'more' | 'finished' | 'done'> {
  const sample = await store.lockSample(tx, hour)
  if (sample.finished_at !== null) return 'done'
  const buckets = await store.listLive(tx, sample.sampled_to, PAGE)
  const held = await sumUsage(
    tx,
    buckets.map(({ id }) => id),
  )
  if (buckets.length > 0) {
    await store.addBuckets(tx, buckets)
    await store.addHistory(
      tx,
      steps.flatMap((step) =>
        buckets.map(({ id: bucket_id }) => ({
          step,
          bucket_id,
          time: startOf(step, Date.parse(hour)),
          used_bytes: held.get(bucket_id)?.bytes ?? 0,
          object_count: held.get(bucket_id)?.objects ?? 0,
          ...nothing,
        })),
      ),
    )
  }
  const more = buckets.length === PAGE
  const sampled_to = buckets.at(-1)?.id ?? sample.sampled_to
  await store.updateSample(tx, { time: hour, sampled_to, finished_at: more ? null : now.toISOString() })
  return more ? 'more' : 'finished'
}

/** Deletes expired history, and deleted buckets along with their last day. */
async function forgetOld(ctx: Ctx): Promise<void> {
  const now = ctx.now().getTime()
  const before = (ms: number) => new Date(now - ms).toISOString()
  for (let after = ''; ; ) {
    const page = await store.listCounted(ctx.db, after, PAGE)
    const ids = page.map(({ bucket_id }) => bucket_id)
    await ctx.upkeep(
      async (step) => {
        const { tx } = step
        for (const step of steps) await store.deleteHistory(tx, step, [...ids, store.NO_BUCKET], before(KEPT_MS[step]))
        if (ids.length > 0) await store.forgetDeleted(tx, ids)
      },
      { relaxed: true },
    )
    after = ids.at(-1) ?? after
    if (ids.length < PAGE) break
    await nextTurn()
  }
  await ctx.upkeep(({ tx }) => store.deleteSamples(tx, before(SAMPLES_KEPT_MS)), { relaxed: true })
}

/** Stores traffic, and once an hour what buckets hold. */
export const usageRecorder = {
  name: 'usage-recorder',
  every: MINUTE_MS,
  local: true as const,
  async run(ctx: Ctx): Promise<void> {
    await flushTraffic(ctx)
    if (await sampleHeld(ctx)) await forgetOld(ctx)
  },
}
