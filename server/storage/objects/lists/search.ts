import { fold } from '../../../../contract/fold.ts'
import { afterKey, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import type { Ctx } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { findKeysHolding, SHORTEST_INDEXED } from '../../../db/search.ts'
import { openCursor, sealCursor } from '../query/cursor.ts'
import { remainder } from '../query/remainder.ts'
import { finder } from '../query/rights.ts'
import * as store from '../store.ts'
import { describeListed, openListing } from './browse.ts'

/** More candidates than this are not sorted: reading on in key order fills the page sooner. */
const MANY = 2000
const FIRST_LOOK = 500
const SCAN_STEP = 2000
/** Most keys that one request reads where the index does not help; the page may then be short. */
const SCAN_MOST = 20_000

/** One page of the objects under a prefix whose keys contain a text after it, in key order. */
export async function listMatching(
  ctx: Ctx,
  bucket: string,
  { prefix, search, limit, cursor }: { prefix: string; search: string; limit: number; cursor: string | undefined },
) {
  const { bucketId, ranges } = await openListing(ctx, bucket, prefix)
  const [after] = openCursor(ctx.config, cursor, 1) ?? []
  const { keys, next } = await findKeys(ctx.db, bucketId, ranges, {
    prefix,
    search,
    after,
    limit,
    // The index knows the keys of now alone.
    ...(ctx.past && { common: 0 }),
  })
  const mayFind = finder(ctx.actor, bucket, [])
  const found = (await store.findObjects(ctx.db, bucketId, keys)).filter(mayFind)
  const rows = new Map(found.map((row) => [row.key, row]))
  return {
    items: await describeListed(
      ctx,
      bucket,
      keys.flatMap((key) => rows.get(key) ?? []),
    ),
    next_cursor: next === null ? null : sealCursor(ctx.config, [next]),
  }
}

/** What to search for: keys under a prefix that contain the text (null: all of them), after a key. */
export interface KeySearch {
  prefix: string
  search: string | null
  after: string | undefined
  limit: number
  order?: Order
  /** Which of these keys to keep, all of which contain the text. */
  keep?: ((keys: readonly string[]) => Promise<string[]>) | undefined
  /** The index is not asked for a text that so many of the first keys contain. */
  common?: number
}
export type Order = 'asc' | 'desc'

interface Found {
  keys: string[]
  /** The key to continue after; null when there are no more. */
  next: string | null
  /** All keys that contain the text, kept or not, after the key to begin after; undefined if they are not known. */
  all?: readonly string[] | undefined
}

/**
 * Keys of the ranges in order. If many keys contain the text, the first keys read already fill the page; only otherwise
 * is the index asked, which for such a text would gather every match first.
 */
export async function findKeys(
  db: Db,
  bucketId: string,
  ranges: readonly KeyRange[],
  { prefix, search, after, limit, order = 'asc', keep, common = limit }: KeySearch,
): Promise<Found> {
  const left = remainder(ranges, after, order)
  if (search === null) return readOn(db, bucketId, left, { limit, order, size: limit + 1 })
  const wanted = fold(search)
  const holds = (key: string) => fold(key.slice(prefix.length)).includes(wanted)
  const reading = { holds, keep, limit, order }
  const first = await readOn(db, bucketId, left, { ...reading, size: FIRST_LOOK, most: FIRST_LOOK })
  if (first.next === null || first.keys.length === limit) return first
  const isIndexed = [...wanted].length >= SHORTEST_INDEXED && first.keys.length < common
  const indexed = isIndexed ? await findKeysHolding(db, bucketId, wanted, MANY) : null
  if (!indexed) return readOn(db, bucketId, left, { ...reading, size: SCAN_STEP, most: SCAN_MOST })
  const inside = (key: string) =>
    left.some(({ from, to }) => compareKeys(key, from) >= 0 && (to === null || compareKeys(key, to) < 0))
  const all = indexed.filter((key) => inside(key) && holds(key)).sort(inOrder(order))
  const keys = keep ? await keep(all) : all
  return { keys: keys.slice(0, limit), next: keys.length > limit ? (keys[limit - 1] ?? null) : null, all }
}

interface Reading {
  holds?: (key: string) => boolean
  keep?: KeySearch['keep']
  limit: number
  order: Order
  size: number
  most?: number
}

/** Reads keys in order, `size` at a time, until `limit` of them match or about `most` were read. */
async function readOn(
  db: Db,
  bucketId: string,
  ranges: readonly KeyRange[],
  { holds, keep, limit, order, size, most = Number.POSITIVE_INFINITY }: Reading,
): Promise<Found> {
  const keys: string[] = []
  const all: string[] = []
  let read = 0
  for (const range of ranges)
    for (let rest = range; ; ) {
      const step = await store.listKeys(db, bucketId, rest, { limit: size, order })
      const holding = holds ? step.filter(holds) : step
      if (holds) all.push(...holding)
      for (const key of keep ? await keep(holding) : holding) {
        if (keys.length === limit) return { keys, next: keys.at(-1) ?? null }
        keys.push(key)
      }
      read += step.length
      const last = step.at(-1)
      if (last === undefined || step.length < size) break
      if (read >= most) return { keys, next: last }
      rest = order === 'asc' ? { from: afterKey(last), to: rest.to } : { from: rest.from, to: last }
    }
  return { keys, next: null, all }
}

const inOrder = (order: Order) => (order === 'asc' ? compareKeys : (a: string, b: string) => compareKeys(b, a))
