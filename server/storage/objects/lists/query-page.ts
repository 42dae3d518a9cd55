// A page of what a query finds in a bucket, in the order asked for, with folders.
import type { Term } from '../../../../contract/query.ts'
import type { Ctx } from '../../../context.ts'
import { termsOf } from '../query/ask.ts'
import { describeListed } from './browse.ts'
import { findByName, foldersOf, prepare, rowsOf, unreadOf } from './in-bucket.ts'
import { MOST_SORTED, momentOf, pageOf, placeOf, type SearchQuery, type Sort } from './search-page.ts'

/** One page of what a query finds in a bucket. Throws invalid_query. */
export async function searchByQuery(ctx: Ctx, bucket: string, query: SearchQuery & { q: string }) {
  const terms = [...termsOf(query.q), ...otherTerms(query)]
  const { prefix = '', sort = 'name', order = 'asc', cursor, limit = 100 } = query
  if (sort !== 'name') return sorted(ctx, bucket, { ...query, terms, prefix, sort })
  const found = await findByName(ctx, bucket, { terms, prefix, order, cursor, limit })
  const folders = cursor === undefined ? await foldersOf(ctx, found, order) : { folders: [], isComplete: true }
  return {
    folders: folders.folders,
    folders_complete: folders.isComplete,
    items: await describeListed(ctx, bucket, await rowsOf(ctx, found.bucketId, found.rows)),
    next_cursor: found.next,
    sorted_first: null,
    ...found.total,
    unread: await unreadOf(ctx, { ...found, name: bucket }, terms),
  }
}

/** By size, type or time: the first that are found by name are put in order. */
async function sorted(
  ctx: Ctx,
  bucket: string,
  {
    terms,
    prefix,
    sort,
    order = 'asc',
    cursor,
    limit = 100,
  }: SearchQuery & { terms: readonly Term[]; prefix: string; sort: Exclude<Sort, 'name'> },
) {
  const after = placeOf(sort, cursor)
  const search = await prepare(ctx, bucket, { terms, prefix })
  const { rows, next, more, isCounted, all } = await search.find({
    order: 'asc',
    after: undefined,
    limit: MOST_SORTED,
  })
  const folders =
    cursor === undefined ? await foldersOf(ctx, { ...search, all }, order) : { folders: [], isComplete: true }
  const page = pageOf(rows, { sort, order, after, limit })
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const found = page.keys.flatMap((key) => byKey.get(key) ?? [])
  return {
    folders: folders.folders,
    folders_complete: folders.isComplete,
    items: await describeListed(ctx, bucket, await rowsOf(ctx, search.bucketId, found)),
    next_cursor: page.next,
    sorted_first: next === null ? null : rows.length,
    total: rows.length + more,
    total_exact: isCounted,
    unread: await unreadOf(ctx, { ...search, name: bucket }, terms),
  }
}

/** What the other parameters of a search ask for. */
function otherTerms({ search, kind, min_size, modified_since }: SearchQuery): Term[] {
  const terms: Term[] = []
  if (search !== undefined) terms.push({ field: 'text', text: search, negated: false })
  if (kind !== undefined) terms.push({ field: 'kind', kind, negated: false })
  if (min_size !== undefined) terms.push({ field: 'size', from: min_size, to: null, negated: false })
  if (modified_since !== undefined)
    terms.push({ field: 'modified', from: { at: Date.parse(momentOf(modified_since)) }, to: null, negated: false })
  return terms
}
