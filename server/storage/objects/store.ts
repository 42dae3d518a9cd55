import { type Compilable, sql } from 'kysely'
import { afterKey, afterPrefix, type KeyRange } from '../../../contract/permissions.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, Row, Tx } from '../../db/schema.ts'

export type ObjectRow = Row<'objects'>

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

/** The object of a bucket's name and a key. */
export const byName = (db: Db, { bucket, key }: { bucket: string; key: string }) =>
  db
    .selectFrom('objects')
    .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
    .selectAll('objects')
    .where('buckets.name', '=', bucket)
    .where('buckets.deleted_at', 'is', null)
    .where('key', '=', key)
const lookup = prepared(byName)
/** Finds an object by bucket name and key. */
export const findObject = async (db: Db, bucket: string, key: string): Promise<ObjectRow | undefined> =>
  (await lookup(db, { bucket, key }))[0]

const insert = prepared((tx: Tx, { rows }: { rows: readonly ObjectRow[] }) =>
  tx
    .insertInto('objects')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['bucket_id', 'key']).doNothing())
    .returning('key'),
)
/** Returns false if the key is taken: the insert decides who creates an object. */
export const insertObject = async (tx: Tx, row: ObjectRow): Promise<boolean> =>
  (await insert(tx, { rows: [row] })).length > 0

export const lockObject = async (tx: Tx, bucketId: string, key: string): Promise<ObjectRow | undefined> =>
  (await lockObjects(tx, bucketId, [key]))[0]

interface Keys {
  bucketId: string
  keys: readonly string[]
}
const withKeys = (db: Db, { bucketId, keys }: Keys) =>
  db.selectFrom('objects').selectAll().where('bucket_id', '=', bucketId).where('key', 'in', keys).orderBy('key')
const lock = prepared((tx: Tx, named: Keys) => withKeys(tx, named).forUpdate())
const share = prepared((tx: Tx, named: Keys) => withKeys(tx, named).forShare())
const find = prepared(withKeys)
const findListed = prepared((db: Db, named: Keys) => withKeys(db, named).clearSelect().select(LISTED))

/** Locks the objects with these keys until the transaction ends, in key order. */
export const lockObjects = async (tx: Tx, bucketId: string, keys: readonly string[]): Promise<ObjectRow[]> =>
  keys.length === 0 ? [] : lock(tx, { bucketId, keys })

/** Like `lockObjects`, but only prevents their deletion or replacement. */
export const shareObjects = async (tx: Tx, bucketId: string, keys: readonly string[]): Promise<ObjectRow[]> =>
  keys.length === 0 ? [] : share(tx, { bucketId, keys })

/** Returns the keys that were free. Always inserts in key order: an insert waits for another's of the same key. */
export async function insertObjects(tx: Tx, unordered: readonly ObjectRow[]): Promise<string[]> {
  if (unordered.length === 0) return []
  const rows = unordered.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return (await insert(tx, { rows })).map(({ key }) => key)
}

export const deleteObjects = async (tx: Tx, bucketId: string, keys: readonly string[]): Promise<void> => {
  if (keys.length > 0) await remove(tx, { bucketId, keys })
}
const remove = prepared((tx: Tx, { bucketId, keys }: Keys) =>
  tx.deleteFrom('objects').where('bucket_id', '=', bucketId).where('key', 'in', keys),
)

export const describeAs = (
  tx: Tx,
  { bucket_id, key }: ObjectRow,
  change: Pick<
    ObjectRow,
    'content_type' | 'headers' | 'metadata' | 'tags' | 'storage_class' | 'acl' | 'last_modified' | 'checksums'
  >,
) => tx.updateTable('objects').set(change).where('bucket_id', '=', bucket_id).where('key', '=', key).execute()

export const setLock = (
  tx: Tx,
  { bucket_id, key }: Pick<ObjectRow, 'bucket_id' | 'key'>,
  lock: Pick<ObjectRow, 'lock_mode' | 'locked_until' | 'legal_hold'>,
) => tx.updateTable('objects').set(lock).where('bucket_id', '=', bucket_id).where('key', '=', key).execute()

export const setTags = (tx: Tx, { bucket_id, key }: Pick<ObjectRow, 'bucket_id' | 'key'>, tags: string | null) =>
  tx.updateTable('objects').set({ tags }).where('bucket_id', '=', bucket_id).where('key', '=', key).execute()

export const setAcl = (tx: Tx, { bucket_id, key }: Pick<ObjectRow, 'bucket_id' | 'key'>, acl: string | null) =>
  tx.updateTable('objects').set({ acl }).where('bucket_id', '=', bucket_id).where('key', '=', key).execute()

export const replaceObject = prepared((tx: Tx, { bucket_id, key, created_at: _kept, ...content }: ObjectRow) =>
  tx.updateTable('objects').set(content).where('bucket_id', '=', bucket_id).where('key', '=', key),
)

const inRange = (db: Db, bucketId: string, { from, to }: KeyRange) => {
  const query = db.selectFrom('objects').where('bucket_id', '=', bucketId).where('key', '>=', from)
  return to === null ? query : query.where('key', '<', to)
}

export const hasKeyIn = async (db: Db, bucketId: string, range: KeyRange): Promise<boolean> =>
  (await inRange(db, bucketId, range).select('key').limit(1).execute()).length > 0

/** Keys of a range in order, from the index alone. */
export const listKeys = async (
  db: Db,
  bucketId: string,
  range: KeyRange,
  { limit, order = 'asc' }: { limit: number; order?: Walk['order'] },
): Promise<string[]> =>
  (await inRange(db, bucketId, range).select('key').orderBy('key', order).limit(limit).execute()).map(({ key }) => key)

/** Keys of a range in order, with what they may be sorted by. */
export const listPlaces = (db: Db, bucketId: string, range: KeyRange, limit: number) =>
  inRange(db, bucketId, range).select(['key', 'size', 'last_modified']).orderBy('key').limit(limit).execute()

/** Objects of a range in key order. */
export const listRange = (db: Db, bucketId: string, range: KeyRange, limit: number): Promise<ObjectRow[]> =>
  inRange(db, bucketId, range).selectAll().orderBy('key').limit(limit).execute()

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
    const bounds = ends ? sql`and key < ${to}` : sql``
    const direction = sql.raw(order)
    const rows = sql.table(table)
    const text = sql<{ key: string }>`
      with recursive w(key, n) as (
        select * from (
          select key, 1 from ${rows} where bucket_id = ${bucketId} and key >= ${from} ${bounds}
          order by key ${direction} limit 1
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

/**
 * The first objects of a range, up to the first folder below. Where a folder holds only objects this is a whole page,
 * at half the cost of reading names and then rows. Reads one key where a folder comes first.
 */
export const leadingObjects = (db: Db, walk: Walk, range: KeyRange, limit: number): Promise<ObjectRow[]> =>
  leadingIn(db, walk, range, () => {
    const { from, to } = range
    const page = { bucketId: walk.bucketId, from, to: to ?? '', limit }
    return pages[walk.order][to === null ? 'endless' : 'ending'](db, page)
  })

/** What a list in key order says of these. */
export const leadingListed = (db: Db, walk: Walk, range: KeyRange, limit: number): Promise<ListedRow[]> =>
  leadingIn(db, walk, range, () => listListed(db, walk.bucketId, range, limit))

async function leadingIn<R extends { key: string }>(
  db: Db,
  walk: Walk,
  range: KeyRange,
  page: () => Promise<R[]>,
): Promise<R[]> {
  const { bucketId, order } = walk
  const { from } = range
  const leads = (key: string) => toEntry(key, walk.depth, walk.delimiter).is_folder
  const [first] =
    order === 'asc'
      ? await keyFrom(db, { bucketId, from })
      : await inRange(db, bucketId, range).select('key').orderBy('key', order).limit(1).execute()
  if (!first || leads(first.key)) return []
  const rows = await page()
  const end = rows.findIndex(({ key }) => leads(key))
  return end < 0 ? rows : rows.slice(0, end)
}

/** What a key is in a folder whose prefix has `depth` code points. */
export function toEntry(key: string, depth: number, delimiter = '/'): Entry {
  const start = [...key].slice(0, depth).join('').length
  const at = key.indexOf(delimiter, start)
  return at < 0 ? { name: key, is_folder: false } : { name: key.slice(0, at + delimiter.length), is_folder: true }
}

export const findObjects = async (db: Db, bucketId: string, keys: readonly string[]): Promise<ObjectRow[]> =>
  keys.length === 0 ? [] : find(db, { bucketId, keys })

/** What a list says of the objects with these keys. */
export const findListedObjects = async (db: Db, bucketId: string, keys: readonly string[]): Promise<ListedRow[]> =>
  keys.length === 0 ? [] : findListed(db, { bucketId, keys })

/** Part of a sorted list: at most `limit` from the `offset`th on. */
export interface Slice {
  offset: number
  limit: number
}

/** Objects of a stretch in key order, starting at `offset`. */
export const listStretch = (
  db: Db,
  { bucketId, order }: Walk,
  stretch: KeyRange,
  { offset, limit }: Slice,
): Promise<ObjectRow[]> =>
  inRange(db, bucketId, stretch).selectAll().orderBy('key', order).offset(offset).limit(limit).execute()

/** Which of these blobs are an object's contents. */
export const findReferenced = async (db: Db, blobIds: readonly string[]): Promise<string[]> =>
  (await db.selectFrom('objects').select('blob_id').where('blob_id', 'in', blobIds).execute()).map(
    ({ blob_id }) => blob_id,
  )
