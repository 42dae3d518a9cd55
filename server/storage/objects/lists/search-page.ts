import { type Kind, kindOf } from '../../../../contract/kinds.ts'
import { compareKeys } from '../../../../contract/permissions.ts'
import { countOf, decodeCursor, encodeCursor, timeOf } from '../../../base/cursor.ts'
import { invalid } from '../../../base/invalid.ts'
import { shownType } from '../../../base/media-type.ts'
import { takingTurns } from '../../../base/turns.ts'
import type { Ctx } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { openCursor, sealCursor } from '../query/cursor.ts'
import { finder } from '../query/rights.ts'
import * as store from '../store.ts'
import { describeListed, openListing } from './browse.ts'
import { findKeys, type Order } from './search.ts'
import { findFolders } from './search-folders.ts'

export type Sort = 'name' | 'size' | 'type' | 'modified'
/** What objects are sorted and filtered by. */
type Traits = Pick<store.ObjectRow, 'key' | 'size' | 'content_type' | 'last_modified'>
export interface SearchQuery {
  search?: string | undefined
  prefix?: string | undefined
  sort?: Sort | undefined
  order?: Order | undefined
  kind?: Kind | undefined
  min_size?: number | undefined
  modified_since?: string | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

/** Most matches that are sorted. */
export const MOST_SORTED = 10_000
/** A text that so many of the first keys contain is not looked up in the index, which would gather every match. */
const COMMON = 200
/** Rows that one statement reads: on SQLite it blocks the process. */
const STEP = 500

/** One page of what a search finds, in the order asked for. */
export async function searchObjects(ctx: Ctx, bucket: string, query: SearchQuery) {
  const { search, prefix = '', sort = 'name', order = 'asc', cursor, limit = 100 } = query
  if (search === undefined) throw invalid('query.search', 'is required unless q is given')
  const { bucketId, ranges } = await openListing(ctx, bucket, prefix)
  const traits = new Map<string, Traits>()
  const fits = filterOf(query)
  const mayFind = finder(ctx.actor, bucket, [])
  const mayKnow = (key: string) => mayFind({ key, tags: null })
  const keep = async (keys: readonly string[]) => {
    const left = ctx.actor.policies ? keys.filter(mayKnow) : [...keys]
    if (!fits && sort === 'name') return left
    await readTraits(ctx, bucketId, left, traits)
    return left.filter((key) => isFitting(traits.get(key), fits))
  }
  const byName = sort === 'name' ? openCursor(ctx.config, cursor, 1)?.[0] : undefined
  const after = sort === 'name' ? undefined : placeOf(sort, cursor)
  const found = await findKeys(ctx.db, bucketId, ranges, {
    prefix,
    search,
    ...(fits || sort !== 'name' || ctx.actor.policies ? { keep } : {}),
    ...(sort === 'name' ? { after: byName, limit, order } : { after: undefined, limit: MOST_SORTED, common: COMMON }),
    // The index knows the keys of now alone.
    ...(ctx.past && { common: 0 }),
  })
  const folders =
    cursor === undefined && !fits
      ? await findFolders(ctx.db, { bucketId, ranges, prefix, search, order, keys: found.all, mayKnow })
      : { folders: [], isComplete: true }
  const page =
    sort === 'name'
      ? { keys: found.keys, next: found.next === null ? null : sealCursor(ctx.config, [found.next]) }
      : pageOf(
          found.keys.flatMap((key) => traits.get(key) ?? []),
          { sort, order, after, limit },
        )
  const rows = new Map((await store.findObjects(ctx.db, bucketId, page.keys)).map((row) => [row.key, row]))
  return {
    folders: folders.folders,
    folders_complete: folders.isComplete,
    items: await describeListed(
      ctx,
      bucket,
      page.keys.flatMap((key) => rows.get(key) ?? []),
    ),
    next_cursor: page.next,
    sorted_first: sort === 'name' || found.next === null ? null : found.keys.length,
  }
}

type Fits = (traits: Traits) => boolean
const isFitting = (traits: Traits | undefined, fits: Fits | undefined): boolean =>
  traits !== undefined && (!fits || fits(traits))

function filterOf({ kind, min_size, modified_since }: SearchQuery): Fits | undefined {
  if (kind === undefined && min_size === undefined && modified_since === undefined) return undefined
  const since = modified_since === undefined ? undefined : momentOf(modified_since)
  return ({ key, size, content_type, last_modified }) =>
    (kind === undefined || kindOf(shownType({ key, content_type })) === kind) &&
    (min_size === undefined || size >= min_size) &&
    (since === undefined || last_modified >= since)
}

/** A time as objects have it. A leap second is well-formed, but no time here. */
export function momentOf(text: string): string {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw invalid('query.modified_since', 'is not a time')
  return new Date(time).toISOString()
}

async function readTraits(ctx: Ctx, bucketId: string, keys: readonly string[], into: Map<string, Traits>) {
  const turn = takingTurns()
  const unknown = keys.filter((key) => !into.has(key))
  for (let at = 0; at < unknown.length; at += STEP) {
    for (const row of await findTraits(ctx.db, bucketId, unknown.slice(at, at + STEP))) into.set(row.key, row)
    await turn()
  }
}

const findTraits = async (db: Db, bucketId: string, keys: readonly string[]): Promise<Traits[]> =>
  db
    .selectFrom('objects')
    .select(['key', 'size', 'content_type', 'last_modified'])
    .where('bucket_id', '=', bucketId)
    .where('key', 'in', keys)
    .execute()

/** An object's place among the others. */
export interface Place {
  value: string | number
  key: string
}
const sortedBy = {
  size: ({ size }: Traits) => size,
  type: (traits: Traits) => shownType(traits).split(';', 1)[0]?.trim().toLowerCase() ?? '',
  modified: ({ last_modified }: Traits) => last_modified,
}

/** The place that a cursor of such a list names. */
export function placeOf(sort: Exclude<Sort, 'name'>, cursor: string | undefined): Place | undefined {
  const [value, key] = decodeCursor(cursor, 2) ?? []
  if (value === undefined || key === undefined) return undefined
  return { value: sort === 'size' ? countOf(value) : sort === 'modified' ? timeOf(value) : value, key }
}

/** A page of objects in an order of size, type or time. */
export function pageOf(
  all: readonly Traits[],
  { sort, order, after, limit }: { sort: Exclude<Sort, 'name'>; order: Order; after: Place | undefined; limit: number },
): { keys: string[]; next: string | null } {
  const turned = order === 'asc' ? 1 : -1
  const compare = (a: Place, b: Place) =>
    turned * (a.value < b.value ? -1 : a.value > b.value ? 1 : compareKeys(a.key, b.key))
  const places = all.map((traits): Place => ({ value: sortedBy[sort](traits), key: traits.key }))
  const rest = (after ? places.filter((place) => compare(after, place) < 0) : places).sort(compare)
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  const next = rest.length > limit && last ? encodeCursor([String(last.value), last.key]) : null
  return { keys: page.map(({ key }) => key), next }
}
