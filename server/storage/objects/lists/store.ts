// A bucket's objects as lists show them: folders, pages and what is said of an object.
import { type Compilable, sql } from 'kysely'
import { afterKey, afterPrefix, type KeyRange } from '../../../../contract/permissions.ts'
import { prepared } from '../../../db/prepare.ts'
import type { Db } from '../../../db/schema.ts'
import { inRange, type Keys, type ObjectRow, withKeys } from '../store.ts'

/** What a list says of an object. A page of a thousand whole rows is several megabytes of garbage. */
const LISTED = [
  'key',
  'size',
  'etag',
  'content_type',
  'last_modified',
  'checksums',
  'storage_class',
  'created_by',
  'acl',
] as const
export type ListedRow = Pick<ObjectRow, (typeof LISTED)[number]>

const findListed = prepared((db: Db, named: Keys) => withKeys(db, named).clearSelect().select(LISTED))
/** What a list says of the objects with these keys. */
export const findListedObjects = async (db: Db, bucketId: string, keys: readonly string[]): Promise<ListedRow[]> =>
  keys.length === 0 ? [] : findListed(db, { bucketId, keys })

/** An object directly in a folder, or the folder below it that a key leads into. */
export interface Entry {
  /** The object's key, or the folder's prefix with its closing slash. */
  name: string
  is_folder: boolean
}

/**
 * Where a walk over a folder's entries goes; `depth` is the length of the folder's prefix in code points, `delimiter` what
 * ends the names of folders below: a slash, unless given.
 */
export interface Walk {
  bucketId: string
  depth: number
  order: 'asc' | 'desc'
  delimiter?: string
  /** Whose keys: of objects, unless given; of versions that are not current only in ascending order. */
  table?: Walkable
}
type Walkable = 'objects' | 'versions'

/** Appended to a key, makes the next possible key. */
const AFTER = afterKey('')

/**
 * The first entries of a range, as a skip scan: one seek leads past everything in a folder, so the cost depends on the
 * entries returned and not on the objects below them.
 */
export async function walkEntries(db: Db, walk: Walk, range: KeyRange, limit: number): Promise<Entry[]> {
  const { bucketId, depth, order, delimiter = '/', table = 'objects' } = walk
  const { from, to } = range
  const walked = { bucketId, depth, limit, from, to: to ?? '', delimiter, after: afterDelimiter(delimiter) }
  const ways = table === 'objects' ? walks[order] : walksOverVersions
  const rows = await ways[to === null ? 'endless' : 'ending'](db, walked)
  return rows.map(({ key }) => toEntry(key, depth, delimiter))
}

/** What follows a delimiter, and whatever a key may have after it, in the order of keys. */
const afterDelimiter = (delimiter: string): string => afterPrefix(delimiter) ?? delimiter + '\u{10ffff}'.repeat(256)

interface Walked {
  bucketId: string
  depth: number
  limit: number
  from: string
  to: string
  delimiter: string
  /** What follows the delimiter in the order of keys. */
  after: string
}
const walkIn = (order: Walk['order'], ends: boolean, table: Walkable = 'objects') =>
  prepared((db: Db, walked: Walked): Compilable<{ key: string }> => {
    const { bucketId, depth, limit, from, to, delimiter, after } = walked
    const asc = order === 'asc'
    const rest = sql`substr(w.key, ${depth} + 1)`
    const at = sql`instr(${rest}, ${delimiter})`
    const next = asc
      ? sql`o.key >= case when ${at} > 0 then substr(w.key, 1, ${depth} + ${at} - 1) || ${after} else w.key || ${sql.lit(AFTER)} end`
      : sql`o.key < case when ${at} > 0 then substr(w.key, 1, ${depth} + ${at} - 1) || ${delimiter} else w.key end`
    const end = asc ? (ends ? sql`and o.key < ${to}` : sql``) : sql`and o.key >= ${from}`
    const bounds = ends ? sql`and f.key < ${to}` : sql``
    const direction = sql.raw(order)
    const rows = sql.table(table)
    const text = sql<{ key: string }>`
      with recursive w(key, n) as (
        select * from (
          select f.key, 1 from ${rows} f where f.bucket_id = ${bucketId} and f.key >= ${from} ${bounds}
          order by f.key ${direction} limit 1
        ) as first_entry
        union all
        select (
          select o.key from ${rows} o where o.bucket_id = ${bucketId} and ${next} ${end}
          order by o.key ${direction} limit 1
        ), n + 1
        from w where w.key is not null and n <= ${limit}
      )
      select key from w where key is not null order by n limit ${limit}`
    return { compile: () => text.compile(db) }
  })
const walks = {
  asc: { ending: walkIn('asc', true), endless: walkIn('asc', false) },
  desc: { ending: walkIn('desc', true), endless: walkIn('desc', false) },
}

const walksOverVersions = { ending: walkIn('asc', true, 'versions'), endless: walkIn('asc', false, 'versions') }

const keyFrom = prepared((db: Db, { bucketId, from }: { bucketId: string; from: string }) =>
  db
    .selectFrom('objects')
    .select('key')
    .where('bucket_id', '=', bucketId)
    .where('key', '>=', from)
    .orderBy('key')
    .limit(sql.lit(1)),
)

type Paged = Pick<Walked, 'bucketId' | 'from' | 'to' | 'limit'>
const pageOf = (db: Db, { bucketId, from, to, limit }: Paged, order: Walk['order'], ends: boolean) =>
  inRange(db, bucketId, { from, to: ends ? to : null })
    .orderBy('key', order)
    .limit(limit)
const pageIn = (order: Walk['order'], ends: boolean) =>
  prepared((db: Db, paged: Paged) => pageOf(db, paged, order, ends).selectAll())
const listedIn = (ends: boolean) => prepared((db: Db, paged: Paged) => pageOf(db, paged, 'asc', ends).select(LISTED))
const pages = {
  asc: { ending: pageIn('asc', true), endless: pageIn('asc', false) },
  desc: { ending: pageIn('desc', true), endless: pageIn('desc', false) },
}
const listed = { ending: listedIn(true), endless: listedIn(false) }

/** What a list says of the objects of a range, in key order. */
export const listListed = (db: Db, bucketId: string, { from, to }: KeyRange, limit: number): Promise<ListedRow[]> =>
  listed[to === null ? 'endless' : 'ending'](db, { bucketId, from, to: to ?? '', limit })

/** The objects that a range starts with. */
interface Leading<R> {
  rows: R[]
  /** Whether nothing else is in the range. */
  isAll: boolean
}

/**
 * The first objects of a range, up to the first folder below. Where a folder holds only objects this is a whole page,
 * at half the cost of reading names and then rows. Reads one key where a folder comes first.
 */
export const leadingObjects = (db: Db, walk: Walk, range: KeyRange, limit: number): Promise<Leading<ObjectRow>> =>
  leadingIn(db, walk, range, {
    limit,
    read() {
      const { from, to } = range
      const page = { bucketId: walk.bucketId, from, to: to ?? '', limit }
      return pages[walk.order][to === null ? 'endless' : 'ending'](db, page)
    },
  })

/** What a list in key order says of these. */
export const leadingListed = (db: Db, walk: Walk, range: KeyRange, limit: number): Promise<Leading<ListedRow>> =>
  leadingIn(db, walk, range, { limit, read: () => listListed(db, walk.bucketId, range, limit) })

async function leadingIn<R extends { key: string }>(
  db: Db,
  walk: Walk,
  range: KeyRange,
  { limit, read }: { limit: number; read: () => Promise<R[]> },
): Promise<Leading<R>> {
  const { bucketId, order } = walk
  const { from } = range
  const leads = (key: string) => toEntry(key, walk.depth, walk.delimiter).is_folder
  const [first] =
    order === 'asc'
      ? await keyFrom(db, { bucketId, from })
      : await inRange(db, bucketId, range).select('key').orderBy('key', order).limit(1).execute()
  if (!first || leads(first.key)) return { rows: [], isAll: !first }
  const rows = await read()
  const end = rows.findIndex(({ key }) => leads(key))
  return end < 0 ? { rows, isAll: rows.length < limit } : { rows: rows.slice(0, end), isAll: false }
}

/** What a key is in a folder whose prefix has `depth` code points. */
export function toEntry(key: string, depth: number, delimiter = '/'): Entry {
  const start = [...key].slice(0, depth).join('').length
  const at = key.indexOf(delimiter, start)
  return at < 0 ? { name: key, is_folder: false } : { name: key.slice(0, at + delimiter.length), is_folder: true }
}

/** Part of a sorted list: at most `limit` from the `offset`th on. */
export interface Slice {
  offset: number
  limit: number
}

/** The keys of a stretch, in their order. */
export const keysOfStretch = async (db: Db, bucketId: string, stretch: KeyRange): Promise<string[]> =>
  (await inRange(db, bucketId, stretch).select('key').orderBy('key').execute()).map(({ key }) => key)

/** Objects of a stretch in key order, starting at `offset`. */
export const listStretch = (
  db: Db,
  { bucketId, order }: Walk,
  stretch: KeyRange,
  { offset, limit }: Slice,
): Promise<ObjectRow[]> =>
  inRange(db, bucketId, stretch).selectAll().orderBy('key', order).offset(offset).limit(limit).execute()
