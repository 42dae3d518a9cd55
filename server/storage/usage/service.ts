import { isAdmin } from '../../../contract/permissions.ts'
import type { UsagePoint } from '../../../contract/usage.ts'
import { itemsOf } from '../../base/cursor.ts'
import { invalid } from '../../base/invalid.ts'
import { DAY_MS } from '../../base/time.ts'
import { allow, type Ctx } from '../../context.ts'
import { seesTotalsOf } from '../../iam/decide.ts'
import { bucketMissing, listBuckets } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { KEPT_MS, STEP_MS, startOf } from './periods.ts'
import * as store from './store.ts'
import { largest } from './types/count.ts'
import * as typeStore from './types/store.ts'

/** Buckets per query. */
const PAGE = 500
const LISTED = 1000
const DEFAULT_DAYS = 30
const TYPES = 100

interface Visible {
  id: string
  name: string
  deleted: boolean
}

/**
 * The buckets with a history whose totals the caller may see, optionally only those of one name. Administrators also see
 * deleted ones; for everyone else a bucket re-created under a name starts afresh.
 */
async function findVisible(ctx: Ctx, bucket: string | undefined): Promise<Visible[]> {
  const { actor } = ctx
  const admin = isAdmin(actor.groups)
  if (bucket !== undefined && !seesTotalsOf(actor, bucket)) allow(ctx.actor, 'list', bucket)
  const rows = (await store.listNames(ctx.db, bucket))
    .map(({ id, name, live }) => ({ id, name, deleted: live === null }))
    .filter(({ name, deleted }) => admin || (!deleted && seesTotalsOf(actor, name)))
  if (bucket !== undefined && rows.length === 0 && !(await findBucket(ctx.db, bucket))) throw bucketMissing(bucket)
  return rows
}

/** The requested span, from the start of an hour or day. */
function spanOf(now: Date, { from, to, days, step = 'day' }: HistoryQuery): store.Span {
  if (from !== undefined && days !== undefined) throw invalid('query.days', 'cannot be combined with `from`')
  // Exclusive, but now is included.
  const end = to === undefined ? now.getTime() + 1 : Date.parse(to)
  // The hour or day that contains `to` counts as one.
  const begin = from === undefined ? end - 1 - (days ?? DEFAULT_DAYS) * DAY_MS + STEP_MS[step] : Date.parse(from)
  if (begin >= end) throw invalid('query.from', 'must be before `to`')
  if (end - begin > KEPT_MS[step] + STEP_MS[step])
    throw invalid(
      'query.from',
      `must not be more than ${KEPT_MS[step] / DAY_MS} days before \`to\` when step is ${step}`,
    )
  return { step, from: startOf(step, begin), to: new Date(end).toISOString() }
}

export interface HistoryQuery {
  from?: string | undefined
  to?: string | undefined
  days?: number | undefined
  step?: store.Step | undefined
  bucket?: string | undefined
  top?: number | undefined
}

/** What buckets held over time and their traffic; the `top` largest separately. */
export async function getHistory(ctx: Ctx, query: HistoryQuery) {
  const span = spanOf(ctx.now(), query)
  const admin = isAdmin(ctx.actor.groups)
  const visible = new Map((await findVisible(ctx, query.bucket)).map((bucket) => [bucket.id, bucket]))
  const withNone = admin && query.bucket === undefined
  const totals = { uploaded_bytes: 0, downloaded_bytes: 0, requests: 0 }
  const found: { id: string; most: number }[] = []
  for (const ids of pages([...visible.keys(), ...(withNone ? [store.NO_BUCKET] : [])]))
    for (const { id, most, ...traffic } of await store.summarise(ctx.db, span, ids)) {
      if (id !== store.NO_BUCKET) found.push({ id, most })
      totals.uploaded_bytes += traffic.uploaded_bytes
      totals.downloaded_bytes += traffic.downloaded_bytes
      totals.requests += traffic.requests
    }
  found.sort((a, b) => b.most - a.most || (a.id < b.id ? -1 : 1))
  const top = found.slice(0, query.top ?? 20).map(({ id }) => id)
  const rest = found.slice(top.length).map(({ id }) => id)
  const asked = [...top, ...(withNone ? [store.NO_BUCKET] : [])]
  const points = Map.groupBy(
    asked.length === 0 ? [] : await store.listHistory(ctx.db, span, asked),
    ({ bucket_id }) => bucket_id,
  )
  const seriesOf = (id: string) => ({
    bucket: visible.get(id)?.name ?? null,
    deleted: visible.get(id)?.deleted ?? false,
    points: points.get(id) ?? [],
  })
  return {
    ...span,
    series: asked.map(seriesOf).filter(({ bucket, points }) => bucket !== null || points.length > 0),
    others: rest.length === 0 ? null : { buckets: rest.length, points: await addUp(ctx, span, rest) },
    totals,
  }
}

async function addUp(ctx: Ctx, span: store.Span, all: readonly string[]): Promise<UsagePoint[]> {
  const sums = new Map<string, UsagePoint>()
  for (const ids of pages(all))
    for (const point of await store.addUpHistory(ctx.db, span, ids)) {
      const own = sums.get(point.time)
      if (!own) sums.set(point.time, point)
      else
        sums.set(point.time, {
          time: point.time,
          used_bytes: plus(own.used_bytes, point.used_bytes),
          object_count: plus(own.object_count, point.object_count),
          uploaded_bytes: own.uploaded_bytes + point.uploaded_bytes,
          downloaded_bytes: own.downloaded_bytes + point.downloaded_bytes,
          requests: own.requests + point.requests,
        })
    }
  return [...sums.values()].sort((a, b) => (a.time < b.time ? -1 : 1))
}

const plus = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b)

/** What is stored by content type, in one bucket or all whose totals the caller may see. */
export async function getTypes(ctx: Ctx, { bucket }: { bucket?: string | undefined }) {
  const ids = (await findVisible(ctx, bucket)).filter(({ deleted }) => !deleted).map(({ id }) => id)
  const sums = new Map<string, { bytes: number; objects: number }>()
  let counted_at: string | null = null
  for (const page of pages(ids)) {
    for (const { content_type, bytes, objects } of await typeStore.sumTypes(ctx.db, page)) {
      const own = sums.get(content_type) ?? { bytes: 0, objects: 0 }
      sums.set(content_type, { bytes: own.bytes + bytes, objects: own.objects + objects })
    }
    const at = await typeStore.oldestTypes(ctx.db, page)
    if (at !== null && (counted_at === null || at < counted_at)) counted_at = at
  }
  const items = largest(sums, TYPES).map(([type, { bytes, objects }]) => ({
    content_type: type || null,
    used_bytes: bytes,
    object_count: objects,
  }))
  return { items, counted_at }
}

const pages = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, i) => ids.slice(i * PAGE, (i + 1) * PAGE))

/** Usage of every bucket whose totals the caller may see, and of all these together. */
export async function summariseUsage(ctx: Ctx) {
  const all = await Array.fromAsync(itemsOf((cursor) => listBuckets(ctx, LISTED, cursor)))
  const buckets = all.flatMap((bucket) => {
    const { name, quota_gb, used_bytes, object_count, trash_bytes, encrypted_bytes, encrypted_objects } = bucket
    const isHidden =
      used_bytes === null ||
      object_count === null ||
      trash_bytes === null ||
      encrypted_bytes === null ||
      encrypted_objects === null
    return isHidden
      ? []
      : [{ name, quota_gb, used_bytes, object_count, trash_bytes, encrypted_bytes, encrypted_objects }]
  })
  const total = (field: Exclude<keyof (typeof buckets)[number], 'name' | 'quota_gb'>) =>
    buckets.reduce((sum, bucket) => sum + bucket[field], 0)
  return {
    used_bytes: total('used_bytes'),
    object_count: total('object_count'),
    trash_bytes: total('trash_bytes'),
    encrypted_bytes: total('encrypted_bytes'),
    encrypted_objects: total('encrypted_objects'),
    buckets,
  }
}
