// Reads of the indexes that objects are found by.
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { KeyRange } from '../../../../contract/permissions.ts'
import type { Db, ObjectRow, Schema } from '../../../db/schema.ts'

export type Order = 'asc' | 'desc'
export interface Page {
  order: Order
  limit: number
}

/** Smaller objects are not in the index of sizes. */
export const LARGE = 65_536

const within = <T extends 'objects' | 'object_words', R>(
  query: SelectQueryBuilder<Schema, T, R>,
  { from, to }: KeyRange,
) => {
  const after = query.where(sql.ref('key'), '>=', from)
  return to === null ? after : after.where(sql.ref('key'), '<', to)
}

const keysOf = async (query: { execute(): Promise<{ key: string }[]> }): Promise<string[]> =>
  (await query.execute()).map(({ key }) => key)

/** Keys of a range, in order. */
export const listAnyKeys = (db: Db, bucketId: string, range: KeyRange, { order, limit }: Page): Promise<string[]> =>
  keysOf(
    within(db.selectFrom('objects').where('bucket_id', '=', bucketId), range)
      .select('key')
      .orderBy('key', order)
      .limit(limit),
  )

const withWord = (db: Db, bucketId: string, word: string) =>
  db.selectFrom('object_words').where('bucket_id', '=', bucketId).where('word', '=', word)

/** Keys of a range that have a word, in order. */
export const listKeysWithWord = (
  db: Db,
  { bucketId, word }: { bucketId: string; word: string },
  range: KeyRange,
  { order, limit }: Page,
): Promise<string[]> =>
  keysOf(
    within(withWord(db, bucketId, word), range)
      .select('key')
      .orderBy('key', order)
      .limit(limit),
  )

/** How many objects have a word, counted up to `most`. */
export const countWithWord = (db: Db, bucketId: string, word: string, most: number): Promise<number> =>
  countSome(db, withWord(db, bucketId, word).select('key').limit(most))

/** Which of these keys have one of these words. */
export const findKeysWithWords = async (
  db: Db,
  bucketId: string,
  words: readonly string[],
  keys: readonly string[],
): Promise<Set<string>> =>
  keys.length === 0 || words.length === 0
    ? new Set()
    : new Set(
        await keysOf(
          db
            .selectFrom('object_words')
            .select('key')
            .where('bucket_id', '=', bucketId)
            .where('word', 'in', words)
            .where('key', 'in', keys),
        ),
      )

/** Which of these buckets have one of these words. */
export const findBucketsWithWords = async (
  db: Db,
  bucketIds: readonly string[],
  words: readonly string[],
): Promise<Set<string>> =>
  bucketIds.length === 0
    ? new Set()
    : new Set(
        (
          await db
            .selectFrom('buckets')
            .select('id')
            .where('id', 'in', bucketIds)
            .where((e) =>
              e.exists(
                e
                  .selectFrom('object_words')
                  .select('key')
                  .whereRef('object_words.bucket_id', '=', 'buckets.id')
                  .where('word', 'in', words),
              ),
            )
            .execute()
        ).map(({ id }) => id),
      )

/** A column whose values have a stretch of an index each, in the order of keys. */
export type Facet = 'content_type' | 'created_by'
const withFacet = (db: Db, bucketId: string, facet: Facet, value: string) =>
  db.selectFrom('objects').where('bucket_id', '=', bucketId).where(facet, '=', value)

/** Keys of a range whose objects have this value, in order. */
export const listKeysWithFacet = (
  db: Db,
  { bucketId, facet, value }: { bucketId: string; facet: Facet; value: string },
  range: KeyRange,
  { order, limit }: Page,
): Promise<string[]> =>
  keysOf(
    within(withFacet(db, bucketId, facet, value), range)
      .select('key')
      .orderBy('key', order)
      .limit(limit),
  )

export const countWithFacet = (
  db: Db,
  { bucketId, facet, value }: { bucketId: string; facet: Facet; value: string },
  most: number,
): Promise<number> => countSome(db, withFacet(db, bucketId, facet, value).select('key').limit(most))

const countSome = async (
  db: Db,
  query: SelectQueryBuilder<Schema, never, { key: string }> | unknown,
): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from (${query}) as counted`.execute(
    db as Kysely<Schema>,
  )
  return Number(rows[0]?.n ?? 0)
}

/** At most `limit` keys in any order of objects that are at least LARGE, in a range of sizes. */
export const listLarge = (
  db: Db,
  bucketId: string,
  { from, to }: { from: number; to: number | null },
  limit: number,
): Promise<string[]> => {
  const all = db
    .selectFrom('objects')
    .select('key')
    .where('bucket_id', '=', bucketId)
    // As the index says it, for SQLite.
    .where(sql<boolean>`size >= ${sql.lit(LARGE)}`)
    .where('size', '>=', from)
  return keysOf((to === null ? all : all.where('size', '<=', to)).limit(limit))
}

/** The same of objects that were last changed in a range of times. */
export const listByTime = (
  db: Db,
  bucketId: string,
  { from, to }: { from: string | null; to: string | null },
  limit: number,
): Promise<string[]> => {
  let query = db.selectFrom('objects').select('key').where('bucket_id', '=', bucketId)
  if (from !== null) query = query.where('last_modified', '>=', from)
  if (to !== null) query = query.where('last_modified', '<=', to)
  return keysOf(query.limit(limit))
}

/** What decides whether an object is found. */
const TRAITS = [
  'key',
  'size',
  'content_type',
  'created_at',
  'last_modified',
  'created_by',
  'metadata',
  'tags',
  'storage_class',
  'encryption',
] as const
export type Traits = Pick<ObjectRow, (typeof TRAITS)[number]>

export const findTraits = async (db: Db, bucketId: string, keys: readonly string[]): Promise<Traits[]> =>
  keys.length === 0
    ? []
    : db.selectFrom('objects').select(TRAITS).where('bucket_id', '=', bucketId).where('key', 'in', keys).execute()

/** The first word of a range, by one seek. */
export const firstWord = async (db: Db, bucketId: string, { from, to }: KeyRange): Promise<string | undefined> => {
  const all = db.selectFrom('object_words').select('word').where('bucket_id', '=', bucketId).where('word', '>=', from)
  return (await (to === null ? all : all.where('word', '<', to)).orderBy('word').limit(1).executeTakeFirst())?.word
}

/** At most `limit` words of a range, in order: by one seek for each. */
export const listWords = (db: Db, bucketId: string, range: KeyRange, limit: number): Promise<string[]> =>
  distinctValues(db, { table: 'object_words', column: 'word', bucketId }, range, limit)

/** At most `limit` content types of a bucket, in order: by one seek for each. */
export const listTypes = (db: Db, bucketId: string, range: KeyRange, limit: number): Promise<string[]> =>
  distinctValues(db, { table: 'objects', column: 'content_type', bucketId }, range, limit)

async function distinctValues(
  db: Db,
  { table, column, bucketId }: { table: 'objects' | 'object_words'; column: string; bucketId: string },
  { from, to }: KeyRange,
  limit: number,
): Promise<string[]> {
  const [rows, value] = [sql.table(table), sql.ref(`o.${column}`)]
  const end = to === null ? sql`` : sql`and ${value} < ${to}`
  const next = (start: ReturnType<typeof sql>) => sql`
    select ${value} from ${rows} o where o.bucket_id = ${bucketId} and ${value} ${start} ${end} order by ${value} limit 1`
  const { rows: found } = await sql<{ value: string }>`
    with recursive g(value, n) as (
      select * from (select (${next(sql`>= ${from}`)}), 1) as first_one
      union all
      select (${next(sql`> g.value`)}), g.n + 1 from g where g.value is not null and g.n < ${sql.lit(limit)}
    )
    select value from g where value is not null order by n`.execute(db as Kysely<Schema>)
  return found.map((row) => row.value)
}

/**
 * What of an attached bucket was listed, but not read yet: keys of objects, in any order, and whether these are all. At most
 * `most` are looked at, by the index of those alone.
 */
export async function listUnread(db: Db, bucketId: string, most: number): Promise<{ keys: string[]; isAll: boolean }> {
  const unread = await db
    .selectFrom('external_blobs')
    .select('blob_id')
    .where('bucket_id', '=', bucketId)
    .where('hydrated_at', 'is', null)
    .limit(most + 1)
    .execute()
  if (unread.length === 0) return { keys: [], isAll: true }
  const ids = unread.slice(0, most).map(({ blob_id }) => blob_id)
  // The bucket is compared here: SQLite would read all of it to find the contents.
  const rows = await db.selectFrom('objects').select(['bucket_id', 'key']).where('blob_id', 'in', ids).execute()
  const keys = rows.filter(({ bucket_id }) => bucket_id === bucketId).map(({ key }) => key)
  return { keys, isAll: unread.length <= most }
}

/** The id of the user whose folded address this is. */
export const findUserByEmail = async (db: Db, email_key: string): Promise<string | undefined> =>
  (await db.selectFrom('users').select('id').where('email_key', '=', email_key).executeTakeFirst())?.id
