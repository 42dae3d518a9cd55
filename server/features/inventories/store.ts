import type { ExpressionBuilder } from 'kysely'
import type { Db, NewRow, Row, RowChange, Schema, Tx } from '../../db/schema.ts'

export type InventoryRow = Row<'inventories'>
/** An inventory with the name of its bucket; null of one over all buckets, or if it is deleted. */
export type NamedInventory = InventoryRow & { bucket: string | null }

export const insertInventory = (tx: Tx, row: NewRow<'inventories'>): Promise<boolean> =>
  tx
    .insertInto('inventories')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
    .then((rows) => rows.length > 0)

export const updateInventory = (tx: Tx, id: string, change: RowChange<'inventories'>) =>
  tx.updateTable('inventories').set(change).where('id', '=', id).execute()

/** Those that are there, of buckets that are. */
const live = (db: Db) =>
  db
    .selectFrom('inventories')
    .leftJoin('buckets', (join) =>
      join.onRef('buckets.id', '=', 'inventories.bucket_id').on('buckets.deleted_at', 'is', null),
    )
    .selectAll('inventories')
    .select('buckets.name as bucket')
    .where('inventories.deleted_at', 'is', null)
    .where((e) => e.or([e('inventories.bucket_id', 'is', null), e('buckets.id', 'is not', null)]))

export const findInventory = (db: Db, id: string): Promise<NamedInventory | undefined> =>
  live(db).where('inventories.id', '=', id).executeTakeFirst()

/** Locks an inventory against every other change. */
export async function lockInventory(tx: Tx, id: string): Promise<NamedInventory | undefined> {
  await tx.selectFrom('inventories').select('id').where('id', '=', id).forUpdate().execute()
  return findInventory(tx, id)
}

/** Inventories before an id, the latest first; all, or those of a bucket. */
export function listInventories(
  db: Db,
  { before, bucketId, limit }: { before: string | undefined; bucketId: string | undefined; limit: number },
): Promise<NamedInventory[]> {
  let query = live(db)
  if (before !== undefined) query = query.where('inventories.id', '<', before)
  if (bucketId !== undefined) query = query.where('inventories.bucket_id', '=', bucketId)
  return query.orderBy('inventories.id', 'desc').limit(limit).execute()
}

/** Those of a bucket, in the order of their names. */
export const listOfBucket = (db: Db, bucketId: string): Promise<NamedInventory[]> =>
  live(db).where('inventories.bucket_id', '=', bucketId).orderBy('inventories.name').execute()

export const countOfBucket = async (db: Db, bucketId: string | null): Promise<number> => {
  const { count } = await db
    .selectFrom('inventories')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('bucket_id', bucketId === null ? 'is' : '=', bucketId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Matches inventories without an unfinished run. */
const isIdle = (e: ExpressionBuilder<Schema, 'inventories'>) =>
  e.not(
    e.exists(
      e
        .selectFrom('inventory_runs')
        .select('inventory_runs.id')
        .whereRef('inventory_runs.inventory_id', '=', 'inventories.id')
        .where('finished_at', 'is', null),
    ),
  )

/** Inventories that are due and not being written, the longest overdue first. */
export const findDue = (db: Db, now: Date, limit: number): Promise<NamedInventory[]> =>
  live(db).where('next_run_at', '<=', now.toISOString()).where(isIdle).orderBy('next_run_at').limit(limit).execute()

/** Sets the next time if it is still the one that was read; false if another process was first. */
export const moveOn = async (tx: Tx, { id, next_run_at, revision }: InventoryRow, next: string | null) =>
  (
    await tx
      .updateTable('inventories')
      .set({ next_run_at: next })
      .where('id', '=', id)
      .where('revision', '=', revision)
      .where('next_run_at', '=', next_run_at)
      .where('deleted_at', 'is', null)
      .returning('id')
      .execute()
  ).length > 0

/** Deleted inventories, and those of deleted buckets, that have no unfinished run. */
export const deleteGone = (tx: Tx, before: Date) =>
  tx
    .deleteFrom('inventories')
    .where((e) =>
      e.or([
        e('deleted_at', '<', before.toISOString()),
        e.and([
          e('bucket_id', 'is not', null),
          e.not(
            e.exists(
              e
                .selectFrom('buckets')
                .select('buckets.id')
                .whereRef('buckets.id', '=', 'inventories.bucket_id')
                .where('buckets.deleted_at', 'is', null),
            ),
          ),
        ]),
      ]),
    )
    .where(isIdle)
    .execute()
