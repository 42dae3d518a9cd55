// How much buckets hold of each content type.
import type { Db, Row, Tx } from '../../../db/schema.ts'

/** Buckets whose content types are due for counting. */
export const listTypesDue = (db: Db, now: Date, limit: number) =>
  db
    .selectFrom('usage_buckets')
    .innerJoin('buckets', 'buckets.id', 'usage_buckets.bucket_id')
    .select(['bucket_id', 'types_at', 'types_of'])
    .where('deleted_at', 'is', null)
    .where((e) => e.or([e('types_due', 'is', null), e('types_due', '<=', now.toISOString())]))
    .orderBy('bucket_id')
    .limit(limit)
    .execute()

/** Claims a bucket until the given time; false if another process was first. */
export const claimTypes = async (tx: Tx, bucketId: string, now: Date, next: Date): Promise<boolean> =>
  (
    await tx
      .updateTable('usage_buckets')
      .set({ types_due: next.toISOString() })
      .where('bucket_id', '=', bucketId)
      .where((e) => e.or([e('types_due', 'is', null), e('types_due', '<=', now.toISOString())]))
      .returning('bucket_id')
      .execute()
  ).length > 0

export async function replaceTypes(
  tx: Tx,
  bucketId: string,
  types: readonly Omit<Row<'usage_types'>, 'bucket_id'>[],
  { at, of }: { at: Date; of: string },
): Promise<void> {
  await tx.deleteFrom('usage_types').where('bucket_id', '=', bucketId).execute()
  if (types.length > 0)
    await tx
      .insertInto('usage_types')
      .values(types.map((type) => ({ bucket_id: bucketId, ...type })))
      .execute()
  await tx
    .updateTable('usage_buckets')
    .set({ types_at: at.toISOString(), types_of: of })
    .where('bucket_id', '=', bucketId)
    .execute()
}

/** Content types of these buckets together. */
export const sumTypes = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('usage_types')
    .select((e) => ['content_type', e.fn.sum<number>('bytes').as('bytes'), e.fn.sum<number>('objects').as('objects')])
    .where('bucket_id', 'in', ids)
    .groupBy('content_type')
    .execute()

/** When the least recently counted of these was counted. */
export const oldestTypes = async (db: Db, ids: readonly string[]): Promise<string | null> =>
  (
    await db
      .selectFrom('usage_buckets')
      .select((e) => e.fn.min('types_at').as('at'))
      .where('bucket_id', 'in', ids)
      .executeTakeFirstOrThrow()
  ).at
