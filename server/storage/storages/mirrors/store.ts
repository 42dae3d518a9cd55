import { sql } from 'kysely'
import type { Db, Row, RowChange, Tx } from '../../../db/schema.ts'

export type Due = Row<'copies_due'>
export type MirrorRow = Row<'mirrors'>

export const findMirror = (db: Db, storage: number): Promise<MirrorRow | undefined> =>
  db.selectFrom('mirrors').selectAll().where('storage', '=', storage).executeTakeFirst()

export const lockMirror = (tx: Tx, storage: number): Promise<MirrorRow | undefined> =>
  tx.selectFrom('mirrors').selectAll().where('storage', '=', storage).forUpdate().executeTakeFirst()

/** Whether the bytes of any storage are at a place, other than its own. */
export const isUsedByMirrors = async (db: Db, place: number): Promise<boolean> =>
  (await db
    .selectFrom('mirrors')
    .select('storage')
    .where((e) => e.or([e('first', '=', place), e('second', '=', place), e('storage', '=', place)]))
    .limit(1)
    .executeTakeFirst()) !== undefined

export const putMirror = (tx: Tx, row: MirrorRow) => {
  const { storage: _storage, ...change } = row
  return tx
    .insertInto('mirrors')
    .values(row)
    .onConflict((conflict) => conflict.column('storage').doUpdateSet(change))
    .execute()
}

export const updateMirror = (tx: Tx, storage: number, change: RowChange<'mirrors'>) =>
  tx.updateTable('mirrors').set(change).where('storage', '=', storage).execute()

export const deleteMirror = (tx: Tx, storage: number) =>
  tx.deleteFrom('mirrors').where('storage', '=', storage).execute()

/** How many copies each place lacks of what is complete, and since when the one that has waited longest. */
export const countDue = async (db: Db): Promise<Map<number, { count: number; since: string }>> => {
  const rows = await db
    .selectFrom('copies_due')
    .innerJoin('blobs', 'blobs.id', 'copies_due.blob_id')
    .where('blobs.size', 'is not', null)
    .select(['place', (e) => e.fn.countAll<number>().as('count'), (e) => e.fn.min('queued_at').as('since')])
    .groupBy('place')
    .execute()
  return new Map(rows.map(({ place, count, since }) => [place, { count: Number(count), since }]))
}

/** Takes copies that are due, newest blobs first, and puts them off for others. */
export async function claimDue(
  tx: Tx,
  { now, until, limit, except }: { now: Date; until: Date; limit: number; except: readonly number[] },
): Promise<Due[]> {
  const due = await tx
    .selectFrom('copies_due')
    .selectAll()
    .where('next_at', '<=', now.toISOString())
    .$if(except.length > 0, (query) => query.where('place', 'not in', except))
    .orderBy('blob_id', 'desc')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const { blob_id, place } of due)
    await tx
      .updateTable('copies_due')
      .set({ next_at: until.toISOString() })
      .where('blob_id', '=', blob_id)
      .where('place', '=', place)
      .execute()
  return due
}

export const putOffDue = (
  tx: Tx,
  { blob_id, place, queued_at }: Pick<Due, 'blob_id' | 'place' | 'queued_at'>,
  { next, attempts }: { next: Date; attempts: number },
) =>
  tx
    .updateTable('copies_due')
    .set({ next_at: next.toISOString(), attempts })
    .where('blob_id', '=', blob_id)
    .where('place', '=', place)
    // Unless it was queued again meanwhile.
    .where('queued_at', '=', queued_at)
    .execute()

export const deleteDue = (tx: Tx, { blob_id, place }: Pick<Due, 'blob_id' | 'place'>) =>
  tx.deleteFrom('copies_due').where('blob_id', '=', blob_id).where('place', '=', place).execute()

/** A blob as its copying needs it. */
export type Copied = Pick<Row<'blobs'>, 'id' | 'inline' | 'md5' | 'sha256' | 'envelope' | 'sums'> & {
  size: number | null
}

export async function findBlob(db: Db, id: string): Promise<Copied | undefined> {
  const row = await db
    .selectFrom('blobs')
    .select(['id', 'inline', 'size', 'md5', 'sha256', 'envelope', 'sums'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { ...row, size: row.size === null ? null : Number(row.size) }
}

/** Notes the checksums of a blob that had none. */
export async function noteSums(
  tx: Tx,
  id: string,
  { sums, runs }: { sums: Uint8Array | null; runs: readonly Omit<Row<'blob_sums'>, 'blob_id'>[] },
): Promise<void> {
  await tx.updateTable('blobs').set({ sums }).where('id', '=', id).execute()
  for (const run of runs)
    await tx
      .insertInto('blob_sums')
      .values({ blob_id: id, ...run })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

/** Whether the checksums of a blob are known that are not in its row. */
export const hasRuns = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('blob_sums').select('start').where('blob_id', '=', id).limit(1).executeTakeFirst()) !== undefined

/** Blobs of a storage whose bytes it has, newest first; of some of them it may not be known yet what they are. */
export const listBefore = (
  db: Db,
  { storage, before, limit }: { storage: number | null; before: string; limit: number },
): Promise<{ id: string }[]> =>
  db
    .selectFrom('blobs')
    .select('id')
    .where('id', '<', before)
    .where('inline', '=', 0)
    .where('storage_id', 'is not distinct from', storage)
    .where((e) => e.not(isExternal(e)))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/**
 * Blobs of some storages whose bytes are known, oldest first; null is the default one. `inline`: also those whose bytes are in
 * the database, which has them for the default one.
 */
export async function listAfter(
  db: Db,
  {
    storages,
    inline,
    after,
    limit,
  }: { storages: readonly (number | null)[]; inline: boolean; after: string; limit: number },
): Promise<(Copied & { size: number })[]> {
  const others = storages.filter((one) => one !== null)
  const rows = await db
    .selectFrom('blobs')
    .select(['id', 'inline', 'size', 'md5', 'sha256', 'envelope', 'sums'])
    .where('id', '>', after)
    .$if(!inline, (query) => query.where('inline', '=', 0))
    .where('size', 'is not', null)
    .where((e) =>
      e.or([
        ...(storages.includes(null) ? [e('storage_id', 'is', null)] : []),
        ...(others.length > 0 ? [e('storage_id', 'in', others)] : []),
      ]),
    )
    .where((e) => e.not(isExternal(e)))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, size: Number(row.size) }))
}

/** Others keep the bytes of these. */
const isExternal = (_: unknown) => sql<boolean>`(substr(id, 15, 1) = '8' and substr(id, 16, 1) >= '8')`

export const insertAllDue = async (tx: Tx, rows: readonly Due[]): Promise<void> => {
  if (rows.length > 0)
    await tx
      .insertInto('copies_due')
      .values([...rows])
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

export type Removal = Row<'copy_removals'>
export const listRemovals = (db: Db, now: Date, limit: number): Promise<Removal[]> =>
  db
    .selectFrom('copy_removals')
    .selectAll()
    .where('due_at', '<=', now.toISOString())
    .orderBy('due_at')
    .limit(limit)
    .execute()

/** Which of these blobs a place still keeps although they were removed. */
export const findKept = async (db: Db, place: number, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const kept = db.selectFrom('copy_removals').select('blob_id').where('place', '=', place).where('blob_id', 'in', ids)
  return new Set((await kept.execute()).map(({ blob_id }) => blob_id))
}

/** The engine holds what was to be removed until then. */
export const putOffRemoval = (tx: Tx, { blob_id, place }: Removal, until: Date) =>
  tx
    .updateTable('copy_removals')
    .set({ due_at: until.toISOString() })
    .where('blob_id', '=', blob_id)
    .where('place', '=', place)
    .execute()

export const deleteRemoval = (tx: Tx, { blob_id, place }: Removal) =>
  tx.deleteFrom('copy_removals').where('blob_id', '=', blob_id).where('place', '=', place).execute()

/** What points at a blob, if it is an object: its bucket and key. */
export const findObjectOf = (db: Db, id: string): Promise<{ name: string; key: string } | undefined> =>
  db
    .selectFrom('objects')
    .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
    .select(['buckets.name', 'objects.key'])
    .where('blob_id', '=', id)
    .limit(1)
    .executeTakeFirst()

export type Scrub = Row<'scrubs'>

export const listScrubs = (db: Db): Promise<Scrub[]> => db.selectFrom('scrubs').selectAll().execute()

/** Locked, and made first if there is none. */
export async function lockScrub(tx: Tx, place: number, now: Date): Promise<Scrub> {
  const started_at = now.toISOString()
  await tx
    .insertInto('scrubs')
    .values({
      place,
      position: '',
      started_at,
      finished_at: null,
      leased_until: null,
      checked: 0,
      damaged: 0,
      summed: 0,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return tx.selectFrom('scrubs').selectAll().where('place', '=', place).forUpdate().executeTakeFirstOrThrow()
}

export const updateScrub = (tx: Tx, place: number, change: RowChange<'scrubs'>) =>
  tx.updateTable('scrubs').set(change).where('place', '=', place).execute()

/** Whether a copy of a blob is due at a place already. */
export const isDue = async (db: Db, { blob_id, place }: Pick<Due, 'blob_id' | 'place'>): Promise<boolean> =>
  (await db
    .selectFrom('copies_due')
    .select('place')
    .where('blob_id', '=', blob_id)
    .where('place', '=', place)
    .executeTakeFirst()) !== undefined
