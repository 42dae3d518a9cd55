import { type SqlBool, sql } from 'kysely'
import type { Db, Tx } from '../../../../db/schema.ts'
import type { ObjectRow } from '../../store.ts'

/** Whether all objects have their words in the index. */
export const hasAllWords = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('instance').select('words_to').executeTakeFirstOrThrow()).words_to === null

/** Up to where the words are written, locked. */
export const lockPlace = async (tx: Tx): Promise<string | null> =>
  (await tx.selectFrom('instance').select('words_to').forUpdate().executeTakeFirstOrThrow()).words_to

export const updatePlace = (tx: Tx, words_to: string | null) => tx.updateTable('instance').set({ words_to }).execute()

export type Place = readonly [bucketId: string, key: string]

const isAfter = (place: Place | undefined) =>
  place ? sql<SqlBool>`(bucket_id, key) > (${place[0]}, ${place[1]})` : sql<SqlBool>`1 = 1`

/** The place of the `limit`th object after one; undefined where fewer are left. */
export async function findPlaceAfter(tx: Tx, after: Place | undefined, limit: number): Promise<Place | undefined> {
  const row = await tx
    .selectFrom('objects')
    .select(['bucket_id', 'key'])
    .where(isAfter(after))
    .orderBy('bucket_id')
    .orderBy('key')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst()
  return row && [row.bucket_id, row.key]
}

/** The objects in a stretch that have tags or metadata, which nobody changes before the transaction ends. */
export function lockWorded(
  tx: Tx,
  { after, to }: { after: Place | undefined; to: Place | undefined },
): Promise<Pick<ObjectRow, 'bucket_id' | 'key' | 'tags' | 'metadata'>[]> {
  const all = tx
    .selectFrom('objects')
    .select(['bucket_id', 'key', 'tags', 'metadata'])
    .where(isAfter(after))
    .where((e) => e.or([e('tags', 'is not', null), e('metadata', '<>', '{}')]))
    .orderBy('bucket_id')
    .orderBy('key')
    .forUpdate()
  return (to ? all.where(sql<SqlBool>`(bucket_id, key) <= (${to[0]}, ${to[1]})`) : all).execute()
}

/** Writes words, of which some may be there already. */
export const insertWords = async (
  tx: Tx,
  words: readonly { bucket_id: string; word: string; key: string }[],
): Promise<void> => {
  if (words.length > 0)
    await tx
      .insertInto('object_words')
      .values(words)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}
