import { ServiceError } from '../../../../contract/errors.ts'
import type { StoredObject } from '../../../../contract/objects.ts'
import { afterKey, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import { countOf, decodeCursor, encodeCursor, pageOf } from '../../../base/cursor.ts'
import { invalid } from '../../../base/invalid.ts'
import { findPointed } from '../../../blobs/pointers.ts'
import { allowSomewhere, type Ctx } from '../../../context.ts'
import type { Asked } from '../../../iam/names-of-rights.ts'
import { bucketMissing } from '../../buckets/service.ts'
import { findBucket } from '../../buckets/store.ts'
import { describeObject } from '../describe.ts'
import { withoutDenied } from '../query/rights.ts'
import * as store from '../store.ts'
import { bySort, columns } from './by-sort.ts'
import { inOrder, MOST_NATURAL, naturalPage } from './natural.ts'
import { type Listing, remaining } from './pages.ts'
import * as lists from './store.ts'
import { type Gap, measureGaps } from './stretches.ts'

export interface BrowseQuery {
  prefix?: string | undefined
  cursor?: string | undefined
  offset?: number | undefined
  limit?: number | undefined
  sort?: 'name' | 'natural' | 'size' | 'modified' | undefined
  order?: 'asc' | 'desc' | undefined
  folders?: 'mixed' | 'first' | undefined
}
/**
 * The ranges of `prefix` the caller may list, and the bucket's id. Throws the same `forbidden` whether or not the
 * bucket exists; `not_found` only for callers who may know.
 */
export async function openListing(ctx: Ctx, bucket: string, prefix: string, asked: 'list' | Asked = 'list') {
  const ranges = allowSomewhere(ctx.actor, asked, bucket, prefix)
  const row = await findBucket(ctx.db, bucket)
  if (!row) throw bucketMissing(bucket)
  return { bucketId: row.id, ranges }
}

/** One page of a folder: its folders and objects. */
export async function browse(ctx: Ctx, bucket: string, query: BrowseQuery) {
  const { prefix = '', limit = 100, sort = 'name', order = 'asc', folders = 'mixed', offset, cursor } = query
  if (offset !== undefined && cursor !== undefined) throw notBoth()
  const isByName = sort === 'name' || sort === 'natural'
  if (ctx.past && !isByName) throw invalid('query.sort', 'can only be name or natural where at is given')
  const { bucketId, ranges: all } = await openListing(ctx, bucket, prefix)
  const walk: lists.Walk = { bucketId, depth: [...prefix].length, order }
  const isFoldersFirst = folders === 'first' || sort === 'natural'
  const ranges = isFoldersFirst ? await withoutMarker(ctx, bucketId, prefix, all) : all
  const listing = !isByName
    ? await bySort(ctx, { ...walk, prefix, ranges }, { column: columns[sort], cursor, offset, limit })
    : isFoldersFirst
      ? await foldersFirst(ctx, walk, ranges, {
          offset: offset ?? offsetOf(cursor),
          limit,
          naturally: sort === 'natural',
        })
      : offset !== undefined
        ? await byNameFrom(ctx, walk, ranges, { offset, limit })
        : await byName(ctx, walk, ranges, { cursor, limit })
  return {
    prefix,
    common_prefixes: listing.folders,
    objects: await describeListed(ctx, bucket, listing.objects),
    next_cursor: listing.next,
    total: listing.total,
    total_exact: listing.exact,
    total_folders: listing.totalFolders,
  }
}

/**
 * Objects as a list says them to its caller: without what a policy forbids them to read; of the past, also which have lost their
 * contents since.
 */
export async function describeListed(
  { past, actor }: Pick<Ctx, 'past' | 'actor'>,
  bucket: string,
  rows: readonly store.ObjectRow[],
): Promise<StoredObject[]> {
  const known = withoutDenied(actor, bucket)
  const described = rows.map((row) => describeObject(known(row), bucket))
  if (!past) return described
  const pointed = await findPointed(
    past.present,
    rows.map(({ blob_id }) => blob_id),
  )
  return described.map((one, i) => (pointed.has(rows[i]?.blob_id ?? '') ? one : { ...one, erased: true as const }))
}

/** The ranges without the folder's marker, the empty object whose key is the folder's own prefix. */
async function withoutMarker(ctx: Ctx, bucketId: string, prefix: string, ranges: readonly KeyRange[]) {
  const [marker] = prefix.endsWith('/') ? await store.findObjects(ctx.db, bucketId, [prefix]) : []
  if (marker?.size !== 0) return ranges
  return ranges.map(({ from, to }): KeyRange => ({ from: from === prefix ? afterKey(prefix) : from, to }))
}

const notBoth = () =>
  new ServiceError('invalid_request', 'Give offset or cursor, not both.', {
    faults: [{ path: 'query.offset', message: 'cannot be combined with cursor' }],
  })

/** Continues after the last entry, by skip scan. */
async function byName(
  ctx: Ctx,
  walk: lists.Walk,
  ranges: readonly KeyRange[],
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<Listing> {
  const [last, seenText] = decodeCursor(cursor, 2) ?? []
  const seen = countOf(seenText ?? '0')
  const entries: lists.Entry[] = []
  const byKey = new Map<string, store.ObjectRow>()
  for (const range of remaining(ranges, walk, last)) {
    const { rows: leading, isAll } = await lists.leadingObjects(ctx.db, walk, range, limit + 1 - entries.length)
    for (const row of leading) {
      byKey.set(row.key, row)
      entries.push({ name: row.key, is_folder: false })
    }
    if (entries.length > limit) break
    if (isAll) continue
    for (const rest of remaining([range], walk, leading.at(-1)?.key))
      for (const entry of await lists.walkEntries(ctx.db, walk, rest, limit + 1 - entries.length))
        if (entry.name !== entries.at(-1)?.name) entries.push(entry)
    if (entries.length > limit) break
  }
  const page = entries.slice(0, limit)
  const more = entries.length > limit
  const keys = page.filter((entry) => !entry.is_folder).map(({ name }) => name)
  const unread = keys.filter((key) => !byKey.has(key))
  for (const row of await store.findObjects(ctx.db, walk.bucketId, unread)) byKey.set(row.key, row)
  return {
    folders: page.filter((entry) => entry.is_folder).map(({ name }) => name),
    objects: keys.flatMap((key) => byKey.get(key) ?? []),
    next: more ? encodeCursor([page.at(-1)?.name ?? '', String(seen + page.length)]) : null,
    total: seen + entries.length,
    exact: !more,
    totalFolders: null,
  }
}

/** All stretches of the ranges; a folder that two ranges lead into counts once. */
async function gapsOf(ctx: Ctx, walk: lists.Walk, ranges: readonly KeyRange[]): Promise<Gap[]> {
  const gaps: Gap[] = []
  let entered: string | null = null
  for (const range of ranges)
    for (const gap of await measureGaps(ctx.db, walk, range)) {
      if (gap.folder !== null && gap.folder === entered) continue
      entered = gap.folder ?? entered
      gaps.push(gap)
    }
  return gaps
}
const totalOf = (gaps: readonly Gap[]): number =>
  gaps.reduce((sum, gap) => sum + gap.objects + (gap.folder === null ? 0 : 1), 0)

/** Jumps to the entry at `offset` in name order. */
async function byNameFrom(
  ctx: Ctx,
  walk: lists.Walk,
  ranges: readonly KeyRange[],
  { offset, limit }: lists.Slice,
): Promise<Listing> {
  const gaps = await gapsOf(ctx, walk, ranges)
  const total = totalOf(gaps)
  const folders: string[] = []
  const objects: store.ObjectRow[] = []
  let last = ''
  let position = 0
  const room = () => limit - folders.length - objects.length
  const takeFolder = (gap: Gap) => {
    if (gap.folder === null) return
    if (position++ >= offset && room() > 0) {
      last = gap.folder
      folders.push(last)
    }
  }
  const takeObjects = async (gap: Gap) => {
    const skip = Math.max(0, offset - position)
    position += gap.objects
    if (skip >= gap.objects || room() === 0) return
    const rows = await lists.listStretch(ctx.db, walk, gap, { offset: skip, limit: room() })
    last = rows.at(-1)?.key ?? last
    objects.push(...rows)
  }
  for (const gap of walk.order === 'asc' ? gaps : gaps.toReversed()) {
    if (room() === 0) break
    if (walk.order === 'desc') takeFolder(gap)
    await takeObjects(gap)
    if (walk.order === 'asc') takeFolder(gap)
  }
  const seen = offset + folders.length + objects.length
  return {
    folders,
    objects,
    next: seen < total && last ? encodeCursor([last, String(seen)]) : null,
    total,
    exact: true,
    totalFolders: foldersOf(gaps).length,
  }
}
const foldersOf = (gaps: readonly Gap[]): string[] => gaps.flatMap(({ folder }) => folder ?? [])

/** Folders first, by name, then the objects by name; both in natural order if that is asked for and they are not too many. */
async function foldersFirst(
  ctx: Ctx,
  walk: lists.Walk,
  ranges: readonly KeyRange[],
  { offset, limit, naturally }: lists.Slice & { naturally: boolean },
): Promise<Listing> {
  const gaps = await gapsOf(ctx, walk, ranges)
  const total = totalOf(gaps)
  const isNatural = naturally && total <= MOST_NATURAL
  const named = foldersOf(gaps)
  const all = isNatural ? inOrder(named, walk.order) : walk.order === 'desc' ? named.toReversed() : named
  const folders = all.slice(offset, offset + limit)
  const stretches = gaps.filter(({ objects }) => objects > 0)
  const skip = Math.max(0, offset - all.length)
  const room = limit - folders.length
  const page = isNatural ? naturalPage : byNameAlone
  const objects = room === 0 ? [] : await page(ctx, walk, stretches, { offset: skip, limit: room })
  const seen = offset + folders.length + objects.length
  const next = seen < total ? encodeCursor([String(seen)]) : null
  return { folders, objects, next, total, exact: true, totalFolders: all.length }
}

/** The objects of these stretches in name order, without the folders between them. */
async function byNameAlone(
  ctx: Ctx,
  walk: lists.Walk,
  stretches: readonly Gap[],
  { offset, limit }: lists.Slice,
): Promise<store.ObjectRow[]> {
  const rows: store.ObjectRow[] = []
  let before = 0
  for (const stretch of walk.order === 'asc' ? stretches : stretches.toReversed()) {
    const skip = Math.max(0, offset - before)
    before += stretch.objects
    if (skip >= stretch.objects) continue
    rows.push(...(await lists.listStretch(ctx.db, walk, stretch, { offset: skip, limit: limit - rows.length })))
    if (rows.length >= limit) break
  }
  return rows
}

function offsetOf(cursor: string | undefined): number {
  const [text = '0'] = decodeCursor(cursor, 1) ?? []
  return countOf(text)
}

/** All objects under a prefix in key order, ignoring folders. */
export async function listObjects(
  ctx: Ctx,
  bucket: string,
  { prefix, limit, cursor }: { prefix: string; limit: number; cursor: string | undefined },
) {
  const { bucketId, ranges } = await openListing(ctx, bucket, prefix)
  const [last] = decodeCursor(cursor, 1) ?? []
  const rows: store.ObjectRow[] = []
  for (const range of ranges) {
    const from = last !== undefined && compareKeys(afterKey(last), range.from) > 0 ? afterKey(last) : range.from
    if (range.to !== null && compareKeys(from, range.to) >= 0) continue
    rows.push(...(await store.listRange(ctx.db, bucketId, { from, to: range.to }, limit + 1 - rows.length)))
    if (rows.length > limit) break
  }
  const { page, next_cursor } = pageOf(rows, limit, ({ key }) => [key])
  return { items: await describeListed(ctx, bucket, page), next_cursor }
}
