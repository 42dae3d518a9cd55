// What a query finds in all buckets that the caller may list.
import type { StoredObject } from '../../../../contract/objects.ts'
import type { Term } from '../../../../contract/query.ts'
import { countOf } from '../../../base/cursor.ts'
import type { Ctx } from '../../../context.ts'
import { type Reach, reachOf } from '../../../iam/decide.ts'
import { allowList } from '../../buckets/service.ts'
import { type BucketRow, findBucket, listBuckets } from '../../buckets/store.ts'
import { isAbout, prefixIn, termsOf } from '../query/ask.ts'
import { exactWordsOf } from '../query/candidates.ts'
import { openCursor, sealCursor } from '../query/cursor.ts'
import { hasAllWords } from '../query/filling/store.ts'
import { COUNTED_ON, isSpent, newBudget } from '../query/find.ts'
import { findBucketsWithWords } from '../query/store.ts'
import { describeListed } from './browse.ts'
import { prepareIn, rowsOf, type Total, type Unread, unreadOf } from './in-bucket.ts'

/** Buckets that are read at a time. */
const BUCKETS = 200
/** Most buckets that one request looks into: each takes some statements. */
const MOST_SEARCHED = 100

export interface Everywhere extends Total {
  items: StoredObject[]
  next_cursor: string | null
  unread: ({ bucket: string } & Unread)[]
}

/** A page of what a query finds, by the names of buckets and then keys. Throws invalid_query; forbidden as the list of buckets. */
export async function searchEverywhere(
  ctx: Ctx,
  { q, cursor, limit = 100 }: { q: string; cursor?: string | undefined; limit?: number | undefined },
): Promise<Everywhere> {
  const terms = termsOf(q)
  allowList(ctx)
  const [first = '', after = '', seenText = '0'] = openCursor(ctx.config, cursor, 3) ?? []
  const seen = countOf(seenText)
  const budget = newBudget()
  const items: StoredObject[] = []
  const unread: Everywhere['unread'] = []
  let more = 0
  let searched = 0
  let last: [bucket: string, key: string] = [first, after]
  const ended = (next: boolean, isExact: boolean): Everywhere => {
    const total = seen + items.length
    const next_cursor = next ? sealCursor(ctx.config, [...last, String(total)]) : null
    return { items, next_cursor, total: total + more, total_exact: isExact, unread }
  }
  for await (const { bucketId, name, ranges } of searchable(ctx, terms, first)) {
    const isFull = items.length === limit
    if (searched > 0 && !isFull && isSpent(budget)) {
      last = [name, '']
      return ended(true, false)
    }
    if (searched++ === MOST_SEARCHED || (isFull && (more >= COUNTED_ON || isSpent(budget)))) return ended(true, false)
    const search = await prepareIn(ctx, name, { bucketId, ranges, terms, prefix: '' })
    const from = name === first && after !== '' ? after : undefined
    const found = await search.find({ order: 'asc', after: from, limit: limit - items.length }, budget)
    items.push(...(await describeListed(ctx, name, await rowsOf(ctx, bucketId, found.rows))))
    more += found.more
    const unknown = isFull ? null : await unreadOf(ctx, { bucketId, name, ranges }, terms)
    if (unknown) unread.push({ bucket: name, ...unknown })
    const lastKey = found.rows.at(-1)?.key
    if (lastKey !== undefined) last = [name, lastKey]
    if (found.next !== null && !found.isCounted) {
      if (items.length < limit) last = [name, found.next]
      return ended(true, false)
    }
    // An empty key stands for the bucket's beginning: what has no match is looked into again, which costs no more than now.
    if (items.length < limit && lastKey === undefined) last = [name, '']
  }
  return ended(more > 0, true)
}

interface Searchable {
  bucketId: string
  name: string
  ranges: readonly Reach[]
}

/** Live buckets from one on that the caller may list and the terms can be about, by name. */
export async function* searchable(ctx: Ctx, terms: readonly Term[], first: string): AsyncGenerator<Searchable> {
  const inside = prefixIn(terms, '')
  if (!inside) return
  const all = terms.flatMap((term) => {
    const words = exactWordsOf(term)
    return words ? [words] : []
  })
  const worded = all.length > 0 && (await hasAllWords(ctx.db)) ? all : []
  const row = first === '' ? undefined : await findBucket(ctx.db, first)
  let rows: Pick<BucketRow, 'id' | 'name'>[] = row ? [row] : []
  for (let after = first; ; ) {
    const next = await listBuckets(ctx.db, after, BUCKETS)
    rows.push(...next)
    let found = rows.flatMap(({ id, name }): Searchable[] => {
      const ranges = isAbout(terms, name) ? reachOf(ctx.actor, 'list', name, inside.prefix) : []
      return ranges.length > 0 ? [{ bucketId: id, name, ranges }] : []
    })
    for (const words of worded) {
      const ids = found.map(({ bucketId }) => bucketId)
      const having = await findBucketsWithWords(ctx.db, ids, words)
      found = found.filter(({ bucketId }) => having.has(bucketId))
    }
    yield* found
    const last = next.at(-1)
    if (next.length < BUCKETS || !last) return
    after = last.name
    rows = []
  }
}
