import type { KeyRange } from '../../../contract/permissions.ts'
import { changed, inserted } from '../../db/changes.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, ObjectRow, Row, Tx } from '../../db/schema.ts'

export type { ObjectRow }

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
    .values(rows.map(inserted))
    .onConflict((conflict) => conflict.columns(['bucket_id', 'key']).doNothing())
    .returning('key'),
)
/** Returns false if the key is taken: the insert decides who creates an object. */
export const insertObject = async (tx: Tx, row: ObjectRow): Promise<boolean> =>
  (await insert(tx, { rows: [row] })).length > 0

export const lockObject = async (tx: Tx, bucketId: string, key: string): Promise<ObjectRow | undefined> =>
  (await lockObjects(tx, bucketId, [key]))[0]

export interface Keys {
  bucketId: string
  keys: readonly string[]
}
/** The rows of some keys, in their order. */
export const withKeys = (db: Db, { bucketId, keys }: Keys) =>
  db.selectFrom('objects').selectAll().where('bucket_id', '=', bucketId).where('key', 'in', keys).orderBy('key')
const lock = prepared((tx: Tx, named: Keys) => withKeys(tx, named).forUpdate())
const share = prepared((tx: Tx, named: Keys) => withKeys(tx, named).forShare())
const find = prepared(withKeys)

/** Locks the objects with these keys until the transaction ends, in key order. */
export const lockObjects = async (tx: Tx, bucketId: string, keys: readonly string[]): Promise<Row<'objects'>[]> =>
  keys.length === 0 ? [] : lock(tx, { bucketId, keys })

/** Like `lockObjects`, but only prevents their deletion or replacement. */
export const shareObjects = async (tx: Tx, bucketId: string, keys: readonly string[]): Promise<Row<'objects'>[]> =>
  keys.length === 0 ? [] : share(tx, { bucketId, keys })

/** In key order, always: an insert waits for another's of the same key. */
const inOrder = (rows: readonly ObjectRow[]) => rows.toSorted((a, b) => (a.key < b.key ? -1 : 1))

/** Returns the keys that were free. */
export async function insertObjects(tx: Tx, rows: readonly ObjectRow[]): Promise<string[]> {
  if (rows.length === 0) return []
  return (await insert(tx, { rows: inOrder(rows) })).map(({ key }) => key)
}

const place = prepared((tx: Tx, { rows, over }: { rows: readonly ObjectRow[]; over: readonly string[] }) => {
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== 'bucket_id' && name !== 'key')
  return tx
    .insertInto('objects')
    .values(rows.map(inserted))
    .onConflict((conflict) =>
      conflict
        .columns(['bucket_id', 'key'])
        .doUpdateSet((e) => ({
          ...Object.fromEntries(columns.map((name) => [name, e.ref(`excluded.${name as keyof ObjectRow}`)])),
          ...changed(),
        }))
        .where('objects.key', 'in', over),
    )
    .returning('key')
})
/**
 * Like `insertObjects`, but `over` names locked objects whose place may be taken. These rows are changed: whoever waits for
 * one that is deleted, and inserted again, would find nothing under a key that always had something.
 */
export async function placeObjects(tx: Tx, rows: readonly ObjectRow[], over: readonly string[]): Promise<string[]> {
  const places = new Set(over)
  if (!rows.some(({ key }) => places.has(key))) return insertObjects(tx, rows)
  return (await place(tx, { rows: inOrder(rows), over })).map(({ key }) => key)
}

export const deleteObjects = async (tx: Tx, bucketId: string, keys: readonly string[]): Promise<void> => {
  if (keys.length > 0) await remove(tx, { bucketId, keys })
}
const remove = prepared(
  (tx: Tx, { bucketId, keys }: Keys) =>
    tx.deleteFrom('objects').where('bucket_id', '=', bucketId).where('key', 'in', keys),
  { blind: true },
)

export const describeAs = (
  tx: Tx,
  { bucket_id, key }: ObjectRow,
  change: Pick<
    ObjectRow,
    'content_type' | 'headers' | 'metadata' | 'tags' | 'storage_class' | 'acl' | 'last_modified' | 'checksums'
  >,
) =>
  tx
    .updateTable('objects')
    .set({ ...change, ...changed() })
    .where('bucket_id', '=', bucket_id)
    .where('key', '=', key)
    .execute()

export const setLock = (
  tx: Tx,
  { bucket_id, key }: Pick<ObjectRow, 'bucket_id' | 'key'>,
  lock: Pick<ObjectRow, 'lock_mode' | 'locked_until' | 'legal_hold'>,
) =>
  tx
    .updateTable('objects')
    .set({ ...lock, ...changed() })
    .where('bucket_id', '=', bucket_id)
    .where('key', '=', key)
    .execute()

export const setTags = (tx: Tx, { bucket_id, key }: Pick<ObjectRow, 'bucket_id' | 'key'>, tags: string | null) =>
  tx
    .updateTable('objects')
    .set({ tags, ...changed() })
    .where('bucket_id', '=', bucket_id)
    .where('key', '=', key)
    .execute()

/** The same for several. */
export const setTagsOf = (tx: Tx, { bucketId, keys }: Keys, tags: string | null) =>
  tx
    .updateTable('objects')
    .set({ tags, ...changed() })
    .where('bucket_id', '=', bucketId)
    .where('key', 'in', keys)
    .execute()

export const setAcl = (tx: Tx, { bucket_id, key }: Pick<ObjectRow, 'bucket_id' | 'key'>, acl: string | null) =>
  tx
    .updateTable('objects')
    .set({ acl, ...changed() })
    .where('bucket_id', '=', bucket_id)
    .where('key', '=', key)
    .execute()

export const replaceObject = prepared(
  (tx: Tx, { bucket_id, key, created_at: _kept, ...content }: ObjectRow) =>
    tx
      .updateTable('objects')
      .set({ ...content, ...changed() })
      .where('bucket_id', '=', bucket_id)
      .where('key', '=', key),
  { blind: true },
)

/** The rows of a range of keys. */
export const inRange = (db: Db, bucketId: string, { from, to }: KeyRange) => {
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
  { limit, order = 'asc' }: { limit: number; order?: 'asc' | 'desc' },
): Promise<string[]> =>
  (await inRange(db, bucketId, range).select('key').orderBy('key', order).limit(limit).execute()).map(({ key }) => key)

/** Keys of a range in order, with what they may be sorted by. */
export const listPlaces = (db: Db, bucketId: string, range: KeyRange, limit: number) =>
  inRange(db, bucketId, range).select(['key', 'size', 'last_modified']).orderBy('key').limit(limit).execute()

/** Objects of a range in key order. */
export const listRange = (db: Db, bucketId: string, range: KeyRange, limit: number): Promise<ObjectRow[]> =>
  inRange(db, bucketId, range).selectAll().orderBy('key').limit(limit).execute()

export const findObjects = async (db: Db, bucketId: string, keys: readonly string[]): Promise<ObjectRow[]> =>
  keys.length === 0 ? [] : find(db, { bucketId, keys })

/** Keys per statement. */
const LOOKED_FOR = 1000
/** Which of these keys, of which there may be many, an object of the bucket has. */
export async function findTaken(db: Db, bucketId: string, keys: readonly string[]): Promise<Set<string>> {
  const taken = new Set<string>()
  for (let at = 0; at < keys.length; at += LOOKED_FOR)
    for (const { key } of await findObjects(db, bucketId, keys.slice(at, at + LOOKED_FOR))) taken.add(key)
  return taken
}

/** Which of these blobs are an object's contents. */
export const findReferenced = async (db: Db, blobIds: readonly string[]): Promise<string[]> =>
  (await db.selectFrom('objects').select('blob_id').where('blob_id', 'in', blobIds).execute()).map(
    ({ blob_id }) => blob_id,
  )
