import { afterPrefix, compareKeys } from '../../../../contract/permissions.ts'
import { type KeyOrder, sortKeyOf } from '../../../base/key-order.ts'
import type { Db, Row, Tx } from '../../../db/schema.ts'

export type FindingRow = Row<'findings'>

/** Where a bucket's objects were taken over. */
export interface TakenPlace {
  bucket_id: string
  storage_id: number
  /** Of the engine's keys; empty or ends with a slash. */
  prefix: string
}
/** What identifies bytes that were taken over. */
export type TakenRef = Pick<Row<'external_blobs'>, 'key' | 'version_id' | 'etag' | 'size' | 'modified_at'>

const COLUMNS = ['key', 'version_id', 'etag', 'external_blobs.size', 'modified_at'] as const

/** What was taken over in a place and is still needed; a release may have written to another place of the same storage. */
const taken = (db: Db, { bucket_id, storage_id }: TakenPlace) =>
  db
    .selectFrom('external_blobs')
    .innerJoin('blobs', 'blobs.id', 'external_blobs.blob_id')
    .select(COLUMNS)
    .where('bucket_id', '=', bucket_id)
    .where('blobs.storage_id', '=', storage_id)

/** The same from a key on, or after it. Each way has one bound: of two, SQLite would begin at the first. */
const takenIn = (db: Db, place: TakenPlace, { after, to }: { after: string | null; to: string | null }) => {
  const end = afterPrefix(place.prefix)
  const all = taken(db, place)
  const rest =
    after !== null && compareKeys(after, place.prefix) >= 0
      ? all.where('key', '>', after)
      : all.where('key', '>=', place.prefix)
  if (to !== null && (end === null || compareKeys(to, end) < 0)) return rest.where('key', '<=', to)
  return end === null ? rest : rest.where('key', '<', end)
}

/** The same after a whole key, up to another one or, with null, to the end, in an order of keys. */
export const listTaken = (
  db: Db,
  place: TakenPlace,
  { after, to, order }: { after: string; to: string | null; order: KeyOrder },
  limit: number,
): Promise<TakenRef[]> => {
  if (order === 'bytes') return takenIn(db, place, { after, to }).orderBy('key').limit(limit).execute()
  const query = takenIn(db, place, { after: null, to: null }).where('sort_key', '>', sortKeyOf(after))
  const until = to === null ? query : query.where('sort_key', '<=', sortKeyOf(to))
  return until.orderBy('sort_key').limit(limit).execute()
}

/** What is known of these whole keys: `kept` is needed, `doomed` is about to be removed. */
export async function findTaken(
  db: Db,
  place: TakenPlace,
  keys: readonly string[],
): Promise<{ kept: Map<string, TakenRef>; doomed: Map<string, TakenRef> }> {
  if (keys.length === 0) return { kept: new Map(), doomed: new Map() }
  const kept = await takenIn(db, place, { after: null, to: null }).where('key', 'in', keys).execute()
  const doomed = await db
    .selectFrom('external_removals')
    .select(['key', 'version_id', 'etag', 'size', 'modified_at'])
    .where('bucket_id', '=', place.bucket_id)
    .where('storage_id', '=', place.storage_id)
    .where('key', 'in', keys)
    .execute()
  const byKey = (rows: readonly TakenRef[]) => new Map(rows.map((row) => [row.key, row]))
  return { kept: byKey(kept), doomed: byKey(doomed) }
}

/** Whether a bucket still needs anything that was taken over, or has yet to remove it. */
export const hasTaken = async (db: Db, bucketId: string): Promise<boolean> => {
  for (const table of ['external_blobs', 'external_removals'] as const)
    if (await db.selectFrom(table).select('blob_id').where('bucket_id', '=', bucketId).limit(1).executeTakeFirst())
      return true
  return false
}

export const findFindings = async (db: Db, bucketId: string, keys: readonly string[]): Promise<FindingRow[]> =>
  keys.length === 0
    ? []
    : db.selectFrom('findings').selectAll().where('bucket_id', '=', bucketId).where('key', 'in', keys).execute()

/** How many a bucket has. */
export const countFindings = async (db: Db, bucketId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('findings')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('bucket_id', '=', bucketId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** After a key, in key order, with the object whose bytes each concerns. `prefix` is that of the bucket's source. */
export const listFindings = (
  db: Db,
  { bucketId, prefix, after }: { bucketId: string; prefix: string; after: string },
  limit: number,
) =>
  db
    .selectFrom('findings')
    .selectAll('findings')
    .select((e) =>
      e
        .selectFrom('external_blobs')
        .innerJoin('objects', 'objects.blob_id', 'external_blobs.blob_id')
        .select('objects.key')
        .where('external_blobs.bucket_id', '=', bucketId)
        .where('objects.bucket_id', '=', bucketId)
        .where('external_blobs.key', '=', (f) => f(f.val(prefix), '||', f.ref('findings.key')))
        .limit(1)
        .as('object'),
    )
    .where('bucket_id', '=', bucketId)
    .where('findings.key', '>', after)
    .orderBy('findings.key')
    .limit(limit)
    .execute()

/** Notes findings; what was found before stays as old as it is, unless it is something else now. */
export const putFindings = (tx: Tx, rows: readonly FindingRow[]) =>
  tx
    .insertInto('findings')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['bucket_id', 'key']).doUpdateSet((e) => ({
        kind: e.ref('excluded.kind'),
        size: e.ref('excluded.size'),
        etag: e.ref('excluded.etag'),
        found_at: e.ref('excluded.found_at'),
        seen_in: e.ref('excluded.seen_in'),
      })),
    )
    .execute()

export const deleteFinding = (tx: Tx, bucketId: string, key: string) =>
  tx.deleteFrom('findings').where('bucket_id', '=', bucketId).where('key', '=', key).execute()

/** Deletes what a scan that started then did not find any more. */
export const deleteNotFoundSince = (tx: Tx, bucketId: string, { id, since }: { id: string; since: string }) =>
  tx
    .deleteFrom('findings')
    .where('bucket_id', '=', bucketId)
    .where((e) => e.or([e('seen_in', 'is not', null), e('found_at', '<', since)]))
    .where('seen_in', 'is distinct from', id)
    .execute()

/** Forgets the source of a bucket that needs it no more, with its findings: all of it is its own. */
export async function forgetSource(tx: Tx, bucketId: string): Promise<void> {
  await tx.deleteFrom('findings').where('bucket_id', '=', bucketId).execute()
  await tx.deleteFrom('attachments').where('bucket_id', '=', bucketId).execute()
  await tx.updateTable('buckets').set({ mode: null }).where('id', '=', bucketId).execute()
}
