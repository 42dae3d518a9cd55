import { setImmediate as nextTurn } from 'node:timers/promises'
import { compareKeys } from '../../../../contract/permissions.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../base/time.ts'
import type { Ctx } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { sumUsage } from '../../buckets/quotas/store.ts'
import * as typeStore from './store.ts'

const PAGE = 100
/** Objects per query: 1,000,000 take 200 queries, between which the process serves others. */
const PIECE = 5000
/** Content types counted separately per bucket, and stored. */
const MOST_COUNTED = 5000
const MOST_KEPT = 100

interface Sum {
  bytes: number
  objects: number
}

/** Lower case and without parameters; '' if nothing is left. */
const normalise = (type: string): string => (type.split(';', 1)[0] ?? '').trim().toLowerCase().slice(0, 127)

/** The content types of the next objects after a key, each with the last key that has it. */
const countPiece = (db: Db, bucketId: string, after: string, limit: number) =>
  db
    .selectFrom(
      db
        .selectFrom('objects')
        .select(['key', 'content_type', 'size'])
        .where('bucket_id', '=', bucketId)
        .where('key', '>', after)
        .orderBy('key')
        .limit(limit)
        .as('piece'),
    )
    .select((e) => [
      'content_type',
      e.fn.sum<number>('size').as('bytes'),
      e.fn.countAll<number>().as('objects'),
      e.fn.max('key').as('last'),
    ])
    .groupBy('content_type')
    .execute()

/**
 * Counts a bucket's content types some objects at a time. A concurrent change may be counted before or after it.
 * Undefined if the process stops before the end.
 */
async function countTypes(ctx: Ctx, bucketId: string): Promise<Map<string, Sum> | undefined> {
  const sums = new Map<string, Sum>()
  for (let after = ''; ; ) {
    if (ctx.stopping.aborted) return undefined
    const piece = await countPiece(ctx.db, bucketId, after, PIECE)
    let objects = 0
    for (const { content_type, last, ...sum } of piece) {
      const name = normalise(content_type)
      const type = sums.has(name) || sums.size < MOST_COUNTED ? name : ''
      const own = sums.get(type) ?? { bytes: 0, objects: 0 }
      sums.set(type, { bytes: own.bytes + sum.bytes, objects: own.objects + sum.objects })
      if (compareKeys(last, after) > 0) after = last
      objects += sum.objects
    }
    if (objects < PIECE) return sums
    await nextTurn()
  }
}

/** The `most` names with the most bytes, and the rest as ''. */
export function largest(sums: ReadonlyMap<string, Sum>, most: number): [type: string, sum: Sum][] {
  const sorted = [...sums]
    .filter(([type]) => type !== '')
    .sort(([, a], [, b]) => b.bytes - a.bytes || b.objects - a.objects)
  const rest = { bytes: 0, objects: 0 }
  for (const [, { bytes, objects }] of [...sorted.slice(most), ['', sums.get('') ?? rest] as const]) {
    rest.bytes += bytes
    rest.objects += objects
  }
  return [...sorted.slice(0, most), ...(rest.objects > 0 ? [['', rest] as [string, Sum]] : [])]
}

/** Counts a bucket, unless its size is unchanged since a count within the last day. */
async function refresh(ctx: Ctx, bucket: Awaited<ReturnType<typeof typeStore.listTypesDue>>[number]): Promise<void> {
  const now = ctx.now()
  const { bucket_id, types_at, types_of } = bucket
  const next = new Date(now.getTime() + HOUR_MS)
  if (!(await ctx.upkeep(({ tx }) => typeStore.claimTypes(tx, bucket_id, now, next), { relaxed: true }))) return
  const usage = (await sumUsage(ctx.db, [bucket_id])).get(bucket_id)
  const of = `${usage?.bytes ?? 0}/${usage?.objects ?? 0}/${usage?.trash_bytes ?? 0}`
  if (of === types_of && types_at !== null && now.getTime() - Date.parse(types_at) < DAY_MS) return
  const sums = await countTypes(ctx, bucket_id)
  if (!sums) return
  const rows = largest(sums, MOST_KEPT).map(([content_type, sum]) => ({ content_type, ...sum }))
  await ctx.upkeep(({ tx }) => typeStore.replaceTypes(tx, bucket_id, rows, { at: now, of }), { relaxed: true })
}

/** Counts content types: hourly where a bucket's size or object count changed, otherwise daily. */
export const typeCounter = {
  name: 'type-counter',
  every: 5 * MINUTE_MS,
  async run(ctx: Ctx): Promise<void> {
    for (;;) {
      const due = await typeStore.listTypesDue(ctx.db, ctx.now(), PAGE)
      for (const bucket of due) {
        if (ctx.stopping.aborted) return
        await refresh(ctx, bucket)
      }
      if (due.length < PAGE) return
    }
  },
}
