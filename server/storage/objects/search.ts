import { afterKey, compareKeys, type KeyRange } from '../../../contract/permissions.ts'
import { decodeCursor, encodeCursor } from '../../base/cursor.ts'
import type { Ctx } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { findKeysHolding, SHORTEST_INDEXED } from '../../db/search.ts'
import { openListing } from './browse.ts'
import { describeObject } from './describe.ts'
import * as store from './store.ts'

/** More candidates than this are not sorted: reading on in key order fills the page sooner. */
const MANY = 2000
const FIRST_LOOK = 500
const SCAN_STEP = 2000
/** Most keys that one request reads where the index does not help; the page may then be short. */
const SCAN_MOST = 20_000

/**
 * Folds case letter by letter, as the indexes do: JavaScript's result for Σ depends on the letters around it, and its İ
 * becomes two characters.
 */
const fold = (text: string): string =>
  text.replaceAll(/[Σς]/g, 'σ').replaceAll(/[^İ]+/g, (letters) => letters.toLowerCase())

/** One page of the objects under a prefix whose keys contain a text after it, in key order. */
export async function searchObjects(
  ctx: Ctx,
  bucket: string,
  { prefix, search, limit, cursor }: { prefix: string; search: string; limit: number; cursor: string | undefined },
) {
  const { bucketId, ranges } = await openListing(ctx, bucket, prefix)
  const [after] = decodeCursor(cursor, 1) ?? []
  const { keys, next } = await findKeys(ctx.db, bucketId, ranges, { prefix, search, after, limit })
  const rows = new Map((await store.findObjects(ctx.db, bucketId, keys)).map((row) => [row.key, row]))
  return {
    items: keys.flatMap((key) => {
      const row = rows.get(key)
      return row ? [describeObject(row, bucket)] : []
    }),
    next_cursor: next === null ? null : encodeCursor([next]),
  }
}

/** What to search for: keys under a prefix that contain the text (null: all of them), after a key. */
export interface KeySearch {
  prefix: string
  search: string | null
  after: string | undefined
  limit: number
}

interface Found {
  keys: string[]
  /** The key to continue after; null when there are no more. */
  next: string | null
}

/**
 * Keys of the ranges in order. If many keys contain the text, the first keys read already fill the page; only otherwise
 * is the index asked, which for such a text would gather every match first.
 */
export async function findKeys(
  db: Db,
  bucketId: string,
  ranges: readonly KeyRange[],
  { prefix, search, after, limit }: KeySearch,
): Promise<Found> {
  const left = ranges.flatMap((range) => remainder(range, after))
  if (search === null) return readOn(db, bucketId, left, { limit, size: limit + 1 })
  const wanted = fold(search)
  const holds = (key: string) => fold(key.slice(prefix.length)).includes(wanted)
  const first = await readOn(db, bucketId, left, { holds, limit, size: FIRST_LOOK, most: FIRST_LOOK })
  if (first.next === null || first.keys.length === limit) return first
  const indexed = [...wanted].length >= SHORTEST_INDEXED ? await findKeysHolding(db, bucketId, wanted, MANY) : null
  if (!indexed) return readOn(db, bucketId, left, { holds, limit, size: SCAN_STEP, most: SCAN_MOST })
  const inside = (key: string) =>
    left.some(({ from, to }) => compareKeys(key, from) >= 0 && (to === null || compareKeys(key, to) < 0))
  const keys = indexed.filter((key) => inside(key) && holds(key)).sort(compareKeys)
  return { keys: keys.slice(0, limit), next: keys.length > limit ? (keys[limit - 1] ?? null) : null }
}

interface Reading {
  holds?: (key: string) => boolean
  limit: number
  size: number
  most?: number
}

/** Reads keys in order, `size` at a time, until `limit` of them match or about `most` were read. */
async function readOn(
  db: Db,
  bucketId: string,
  ranges: readonly KeyRange[],
  { holds, limit, size, most = Number.POSITIVE_INFINITY }: Reading,
): Promise<Found> {
  const keys: string[] = []
  let read = 0
  for (const range of ranges)
    for (let { from } = range; ; ) {
      const step = await store.listKeys(db, bucketId, { from, to: range.to }, size)
      for (const key of step) {
        if (holds && !holds(key)) continue
        if (keys.length === limit) return { keys, next: keys.at(-1) ?? null }
        keys.push(key)
      }
      read += step.length
      const last = step.at(-1)
      if (last === undefined || step.length < size) break
      if (read >= most) return { keys, next: last }
      from = afterKey(last)
    }
  return { keys, next: null }
}

/** The part of a range after a key. */
function remainder(range: KeyRange, after: string | undefined): KeyRange[] {
  if (after === undefined) return [range]
  // No key contains NUL, so this is the smallest key that can follow.
  const next = afterKey(after)
  const from = compareKeys(next, range.from) > 0 ? next : range.from
  return range.to !== null && compareKeys(from, range.to) >= 0 ? [] : [{ from, to: range.to }]
}
