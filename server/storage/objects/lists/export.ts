// The list of all that a query finds, as it is read: one page is held at a time, and rights are those of each page.

import { csvLine } from '../../../../contract/csv.ts'
import type { StoredObject } from '../../../../contract/objects.ts'
import type { Term } from '../../../../contract/query.ts'
import { invalid } from '../../../base/invalid.ts'
import { takingTurns } from '../../../base/turns.ts'
import type { Ctx } from '../../../context.ts'
import { allowList } from '../../buckets/service.ts'
import { termsOf } from '../query/ask.ts'
import { describeListed } from './browse.ts'
import { searchable } from './everywhere.ts'
import { prepare, prepareIn, rowsOf } from './in-bucket.ts'

/** Most objects, and keys that are looked at, between two looks at the caller's rights. */
const AT_ONCE = 500
/** Most buckets in which nothing is found, between the same. */
const BUCKETS_AT_ONCE = 100

export interface Wanted {
  q: string
  bucket?: string | undefined
  prefix?: string | undefined
  format?: 'csv' | 'ndjson' | undefined
}
/** Where a list continues: in a bucket, after a key if there is one. A bucket that is over is passed. */
interface Place {
  bucket: string
  after?: string | undefined
  isOver?: boolean
}
interface Page {
  items: StoredObject[]
  /** Null at the end. */
  next: Place | null
}
type Find = Awaited<ReturnType<typeof prepareIn>>['find']

/**
 * Records the export and yields its lines as they are read; throws what the search would throw, and later, where the caller's
 * rights end meanwhile.
 */
export async function exportList(ctx: Ctx, wanted: Wanted): Promise<AsyncGenerator<Buffer>> {
  const { q, bucket, prefix = '', format = 'csv' } = wanted
  if (bucket === undefined && prefix !== '') throw invalid('query.prefix', 'needs bucket')
  const terms = termsOf(q)
  // Lengths of time are counted back from now, however long it takes.
  const asked = ctx.now()
  const asking = { ...ctx, now: () => asked }
  const first = await nextPage(asking, terms, wanted, { bucket: bucket ?? '' })
  await ctx.act(async ({ record }) =>
    record({
      name: 'list_export',
      ...(bucket !== undefined && { bucket }),
      details: { format, query: q, ...(prefix !== '' && { prefix }) },
    }),
  )
  return linesOf(asking, terms, wanted, first)
}

async function* linesOf(ctx: Ctx, terms: readonly Term[], wanted: Wanted, first: Page): AsyncGenerator<Buffer> {
  const isCsv = (wanted.format ?? 'csv') === 'csv'
  if (isCsv) yield Buffer.from(csvLine(columns))
  const turn = takingTurns()
  let objects = 0
  let next: Place | null = first.next
  try {
    for (let page = first; ; page = await nextPage(await asNow(ctx), terms, wanted, next)) {
      objects += page.items.length
      next = page.next
      const lines = page.items.map((one) => (isCsv ? csvLine(cellsOf(one)) : `${JSON.stringify(one)}\n`))
      if (lines.length > 0) yield Buffer.from(lines.join(''))
      if (next === null) return
      if (ctx.stopping.aborted) throw new Error('The service is stopping; the list is incomplete')
      // Who reads them as fast as they come does not let others in.
      await turn()
    }
  } finally {
    if (next !== null) ctx.log.info({ objects }, 'the export of a list was cut short')
  }
}

/** The same for the caller as they are now. Throws where they are no longer signed in. */
const asNow = async (ctx: Ctx): Promise<Ctx> =>
  ctx.actor.renew ? { ...ctx.as(await ctx.actor.renew(ctx.db)), now: ctx.now } : ctx

/** The next objects from a place on. */
async function nextPage(
  ctx: Ctx,
  terms: readonly Term[],
  { bucket, prefix = '' }: Wanted,
  place: Place,
): Promise<Page> {
  if (bucket !== undefined) {
    const { bucketId, find } = await prepare(ctx, bucket, { terms, prefix })
    return pageOf(ctx, { bucketId, name: bucket, find }, place.after)
  }
  allowList(ctx)
  const turn = takingTurns()
  let looked = 0
  for await (const { bucketId, name, ranges } of searchable(ctx, terms, place.bucket)) {
    const isFirst = name === place.bucket
    if (isFirst && place.isOver) continue
    const { find } = await prepareIn(ctx, name, { bucketId, ranges, terms, prefix: '' })
    const { items, next } = await pageOf(ctx, { bucketId, name, find }, isFirst ? place.after : undefined)
    if (next !== null || items.length > 0 || ++looked === BUCKETS_AT_ONCE)
      return { items, next: next ?? { bucket: name, isOver: true } }
    await turn()
  }
  return { items: [], next: null }
}

async function pageOf(
  ctx: Ctx,
  { bucketId, name, find }: { bucketId: string; name: string; find: Find },
  after: string | undefined,
): Promise<Page> {
  const found = await find(
    { order: 'asc', after, limit: AT_ONCE },
    { keys: AT_ONCE, rows: AT_ONCE, until: Number.POSITIVE_INFINITY },
  )
  const items = await describeListed(ctx, name, await rowsOf(ctx, bucketId, found.rows))
  return { items, next: found.next === null ? null : { bucket: name, after: found.next } }
}

const columns = [
  'bucket',
  'key',
  'size',
  'content_type',
  'last_modified',
  'created_at',
  'created_by',
  'etag',
  'sha256',
  'encryption',
  'tags',
  'metadata',
] as const satisfies readonly (keyof StoredObject)[]

const cellsOf = (object: StoredObject) =>
  columns.map((name) => {
    const value = object[name] ?? null
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
  })
