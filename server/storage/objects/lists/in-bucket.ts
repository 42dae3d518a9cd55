// What a query finds in one bucket.
import { afterPrefix, compareKeys } from '../../../../contract/permissions.ts'
import type { Term } from '../../../../contract/query.ts'
import { countOf } from '../../../base/cursor.ts'
import type { Ctx } from '../../../context.ts'
import { isReached, type Reach } from '../../../iam/decide.ts'
import { factsOf, isAbout, prefixIn } from '../query/ask.ts'
import { openCursor, sealCursor } from '../query/cursor.ts'
import { type Found, findInBucket, newBudget } from '../query/find.ts'
import { finder } from '../query/rights.ts'
import { listUnread, type Order, type Traits } from '../query/store.ts'
import { findObjects, type ObjectRow } from '../store.ts'
import { openListing } from './browse.ts'
import { findFolders } from './search-folders.ts'

/** Most objects that were not read yet which are counted. */
const MOST_UNREAD = 1000

/** How many objects were found: all, or at least so many. */
export interface Total {
  total: number
  total_exact: boolean
}

/** Objects that could not be asked for what is in the terms, because others keep them and they were not read yet. */
export interface Unread {
  objects: number
  exact: boolean
}

export interface QueryPage {
  terms: readonly Term[]
  prefix: string
  order: Order
  cursor: string | undefined
  limit: number
}

/** A page by name. Throws as any list of the bucket does. */
export async function findByName(ctx: Ctx, bucket: string, page: QueryPage) {
  const { order, limit } = page
  const [after, seenText = '0'] = openCursor(ctx.config, page.cursor, 2) ?? []
  const seen = countOf(seenText)
  const search = await prepare(ctx, bucket, page)
  const found = await search.find({ order, after, limit })
  const total = seen + found.rows.length
  return {
    ...search,
    rows: found.rows,
    all: found.all,
    next: found.next === null ? null : sealCursor(ctx.config, [found.next, String(total)]),
    total: { total: total + found.more, total_exact: found.isCounted },
  }
}

/** Opens a bucket for a query. Throws as any list of the bucket does. */
export async function prepare(ctx: Ctx, bucket: string, asked: { terms: readonly Term[]; prefix: string }) {
  const inside = prefixIn(asked.terms, asked.prefix)
  return prepareIn(ctx, bucket, { ...asked, ...(await openListing(ctx, bucket, inside?.prefix ?? asked.prefix)) })
}

/** The same of a bucket whose access was checked already, for searches and for jobs that act on what they show. */
export async function prepareIn(
  ctx: Pick<Ctx, 'db' | 'actor' | 'now' | 'past'>,
  bucket: string,
  {
    bucketId,
    ranges,
    ...asked
  }: { bucketId: string; ranges: readonly Reach[]; terms: readonly Term[]; prefix: string },
) {
  const inside = prefixIn(asked.terms, asked.prefix)
  const { prefix, terms } = inside ?? { prefix: asked.prefix, terms: [] }
  const inRange = ranges.flatMap((range) => below(range, prefix))
  const facts = await factsOf(ctx, terms, prefix)
  const mayFind = finder(ctx.actor, bucket, terms)
  const isPossible = inside !== null && isAbout(terms, bucket)
  const find = async (
    { order, after, limit }: { order: Order; after: string | undefined; limit: number },
    budget = newBudget(),
  ): Promise<Found> =>
    isPossible
      ? findInBucket(
          ctx.db,
          { bucketId, ranges: inRange, terms, facts, mayFind, indexed: ctx.past === null, order, after, limit },
          budget,
        )
      : { rows: [], next: null, more: 0, isCounted: true, all: [] }
  return { bucketId, ranges: inRange, prefix, terms, mayFind, find }
}

/** The part of a range that is below a prefix. */
function below(range: Reach, prefix: string): Reach[] {
  const end = afterPrefix(prefix)
  const from = compareKeys(range.from, prefix) < 0 ? prefix : range.from
  const to = range.to === null || (end !== null && compareKeys(end, range.to) < 0) ? end : range.to
  return to !== null && compareKeys(from, to) >= 0 ? [] : [{ ...range, from, to }]
}

/** The folders whose names contain the one word that is all of a query; none of other queries. */
export async function foldersOf(
  ctx: Ctx,
  { bucketId, ranges, prefix, terms, mayFind, all }: Awaited<ReturnType<typeof prepare>> & Pick<Found, 'all'>,
  order: Order,
): Promise<{ folders: string[]; isComplete: boolean }> {
  const [only] = terms
  if (terms.length !== 1 || only?.field !== 'text' || only.negated) return { folders: [], isComplete: true }
  const mayKnow = (key: string) => mayFind({ key, tags: null })
  return findFolders(ctx.db, { bucketId, ranges, prefix, search: only.text, order, keys: all, mayKnow })
}

/** The objects' rows, in this order. */
export async function rowsOf(ctx: Ctx, bucketId: string, found: readonly Traits[]): Promise<ObjectRow[]> {
  const keys = found.map(({ key }) => key)
  const rows = new Map((await findObjects(ctx.db, bucketId, keys)).map((row) => [row.key, row]))
  return keys.flatMap((key) => rows.get(key) ?? [])
}

/** What only those know of an object who have read it. */
const READ_FIELDS: ReadonlySet<Term['field']> = new Set(['tag', 'meta', 'type', 'kind', 'encrypted'])

/** How many objects that the caller may list the terms could not be asked of; null if there are none. */
export async function unreadOf(
  ctx: Ctx,
  { bucketId, name, ranges }: { bucketId: string; name: string; ranges: readonly Reach[] },
  terms: readonly Term[],
): Promise<Unread | null> {
  // What is known of the past was read when it was the present.
  if (ctx.past || !terms.some(({ field }) => READ_FIELDS.has(field))) return null
  const mayFind = finder(ctx.actor, name, [])
  const { keys, isAll } = await listUnread(ctx.db, bucketId, MOST_UNREAD)
  const objects = keys.filter((key) => isReached(ranges, key) && mayFind({ key, tags: null })).length
  return objects === 0 && isAll ? null : { objects, exact: isAll }
}
