import { sql } from 'kysely'
import { countUpToMost } from '../db/count.ts'
import type { Db, Tx } from '../db/schema.ts'

export const insertBlobs = (tx: Tx, ids: readonly string[], checkAfter: Date) =>
  tx
    .insertInto('blobs')
    .values(ids.map((id) => ({ id, check_after: checkAfter.toISOString() })))
    .execute()

export const setCheckAfter = (tx: Tx, ids: readonly string[], checkAfter: Date) =>
  tx.updateTable('blobs').set({ check_after: checkAfter.toISOString() }).where('id', 'in', ids).execute()

/** Locks blobs that are due for a check, so that no second collector takes them. */
export const claimDue = async (tx: Tx, now: Date, limit: number): Promise<string[]> =>
  (
    await tx
      .selectFrom('blobs')
      .select('id')
      .where('check_after', '<=', now.toISOString())
      .orderBy('check_after')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute()
  ).map(({ id }) => id)

/**
 * Deletes those of `ids` that nothing points at, and returns them. The foreign keys decide races: a reference made
 * meanwhile prevents the delete, a delete made first prevents the reference.
 */
export const deleteUnreferenced = async (tx: Tx, ids: readonly string[]): Promise<string[]> =>
  (
    await tx
      .deleteFrom('blobs')
      .where('id', 'in', ids)
      .where((e) => e.not(e.exists(e.selectFrom('objects').select('key').whereRef('objects.blob_id', '=', 'blobs.id'))))
      .where((e) => e.not(e.exists(e.selectFrom('trash').select('key').whereRef('trash.blob_id', '=', 'blobs.id'))))
      .where((e) => e.not(e.exists(e.selectFrom('uploads').select('id').whereRef('uploads.blob_id', '=', 'blobs.id'))))
      .returning('id')
      .execute()
  ).map(({ id }) => id)

/** Marks blobs found in use: they need no further check until something releases them. */
export const settle = (tx: Tx, ids: readonly string[]) =>
  tx.updateTable('blobs').set({ check_after: null }).where('id', 'in', ids).execute()

export const queueRemovals = (tx: Tx, ids: readonly string[], now: Date) =>
  tx
    .insertInto('blob_removals')
    .values(ids.map((blob_id) => ({ blob_id, queued_at: now.toISOString() })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const findRemovals = async (tx: Tx, limit: number): Promise<string[]> =>
  (await tx.selectFrom('blob_removals').select('blob_id').orderBy('queued_at').limit(limit).execute()).map(
    ({ blob_id }) => blob_id,
  )

export const deleteRemovals = (tx: Tx, ids: readonly string[]) =>
  tx.deleteFrom('blob_removals').where('blob_id', 'in', ids).execute()

/** Which of these ids have a row that keeps or deletes their bytes. */
export const findKnown = async (db: Db, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const kept = await db.selectFrom('blobs').select('id').where('id', 'in', ids).execute()
  const queued = await db.selectFrom('blob_removals').select('blob_id as id').where('blob_id', 'in', ids).execute()
  return new Set([...kept, ...queued].map(({ id }) => id))
}

/** What is waiting for the collector. */
export const findCollectable = async (db: Db, now: string): Promise<{ check: number; removal: number }> => ({
  check: await countUpToMost(db, sql`blobs where check_after is not null and check_after <= ${now}`),
  removal: await countUpToMost(db, sql`blob_removals`),
})
