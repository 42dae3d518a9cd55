// The runs of inventories, and what is kept of versions for them.
import type { ExpressionBuilder } from 'kysely'
import type { Db, NewRow, Row, RowChange, Schema, Tx } from '../../../db/schema.ts'

export type RunRow = Row<'inventory_runs'>

export const runColumns = [
  'id',
  'inventory_id',
  'trigger',
  'status',
  'reason',
  'settings',
  'author_id',
  'author_email',
  'requester',
  'moment',
  'folder',
  'buckets',
  'place',
  'files',
  'rows',
  'bytes',
  'no_changes',
  'runner',
  'leased_until',
  'cancel_at',
  'created_at',
  'started_at',
  'finished_at',
] as const satisfies readonly (keyof RunRow)[]

/** Matches unfinished runs. */
export const isOpen = (e: ExpressionBuilder<Schema, 'inventory_runs'>) => e('finished_at', 'is', null)

/** Returns false while another run of the inventory is unfinished. */
export const insertRun = async (tx: Tx, row: NewRow<'inventory_runs'>): Promise<boolean> =>
  (
    await tx
      .insertInto('inventory_runs')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute()
  ).length > 0

export const findRun = (db: Db, inventoryId: string, id: string): Promise<RunRow | undefined> =>
  db
    .selectFrom('inventory_runs')
    .selectAll()
    .where('inventory_id', '=', inventoryId)
    .where('id', '=', id)
    .executeTakeFirst()

/** An inventory's runs before an id, the latest first. */
export function listRuns(db: Db, inventoryId: string, before: string | undefined, limit: number): Promise<RunRow[]> {
  const all = db.selectFrom('inventory_runs').selectAll().where('inventory_id', '=', inventoryId)
  return (before === undefined ? all : all.where('id', '<', before)).orderBy('id', 'desc').limit(limit).execute()
}

/** The last run of each of these inventories. */
export async function findLastRuns(db: Db, ids: readonly string[]): Promise<Map<string, RunRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('inventory_runs')
    .selectAll()
    .where('id', 'in', (e) =>
      e
        .selectFrom('inventory_runs as r')
        .select((f) => f.fn.max('r.id').as('id'))
        .where('r.inventory_id', 'in', ids)
        .groupBy('r.inventory_id'),
    )
    .execute()
  return new Map(rows.map((row) => [row.inventory_id, row]))
}

/** The last run of an inventory that succeeded. */
export const findLastWhole = (db: Db, inventoryId: string): Promise<RunRow | undefined> =>
  db
    .selectFrom('inventory_runs')
    .selectAll()
    .where('inventory_id', '=', inventoryId)
    .where('status', '=', 'succeeded')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** How many runs of the inventories that have had this name have this folder, or one whose name starts so. */
export const countFolders = async (
  db: Db,
  { name, bucketId }: { name: string; bucketId: string | null },
  folder: string,
): Promise<number> => {
  const rows = await db
    .selectFrom('inventory_runs')
    .innerJoin('inventories', 'inventories.id', 'inventory_runs.inventory_id')
    .select('folder')
    .where('name', '=', name)
    .where('bucket_id', bucketId === null ? 'is' : '=', bucketId)
    .where('folder', 'is not', null)
    .execute()
  return rows.filter((one) => one.folder?.startsWith(folder)).length
}

/** Locks an inventory's unfinished run. */
export const lockActiveRun = (tx: Tx, inventoryId: string): Promise<RunRow | undefined> =>
  tx
    .selectFrom('inventory_runs')
    .selectAll()
    .where('inventory_id', '=', inventoryId)
    .where('finished_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()

export const updateRun = (tx: Tx, id: string, change: RowChange<'inventory_runs'>) =>
  tx.updateTable('inventory_runs').set(change).where('id', '=', id).execute()

/** Requests the cancellation of an unfinished run. */
export const askToCancel = (tx: Tx, id: string, now: Date) =>
  tx
    .updateTable('inventory_runs')
    .set({ cancel_at: now.toISOString() })
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .where('cancel_at', 'is', null)
    .execute()

/** From now on what becomes of these versions of a bucket is kept for a run; nobody may change it meanwhile. */
export async function keepVersions(tx: Tx, runId: string, bucketId: string): Promise<void> {
  // Of all buckets, which the primary key knows: that of one would read all of its versions.
  const last = await tx
    .selectFrom('versions')
    .select((e) => e.fn.max<number | null>('seq').as('seq'))
    .executeTakeFirst()
  await tx
    .insertInto('inventory_buckets')
    .values({ run_id: runId, bucket_id: bucketId, seq: Number(last?.seq ?? 0) })
    .execute()
}

/** Up to which version those of a bucket are listed by a run. */
export const findLastSeq = async (db: Db, runId: string, bucketId: string): Promise<number> =>
  Number(
    (
      await db
        .selectFrom('inventory_buckets')
        .select('seq')
        .where('run_id', '=', runId)
        .where('bucket_id', '=', bucketId)
        .executeTakeFirst()
    )?.seq ?? 0,
  )

/** Keeps versions for a run no longer, and forgets some of what was kept; false when nothing is left. */
export async function forgetVersions(tx: Tx, runId: string, limit: number): Promise<boolean> {
  await tx.deleteFrom('inventory_buckets').where('run_id', '=', runId).execute()
  const deleted = await tx
    .deleteFrom('inventory_versions')
    .where('run_id', '=', runId)
    .where('seq', 'in', (e) =>
      e.selectFrom('inventory_versions').select('seq').where('run_id', '=', runId).limit(limit),
    )
    .executeTakeFirst()
  return Number(deleted.numDeletedRows) === limit
}

/** Runs that have ended and for which versions are still kept, or some of what was kept is left. */
export const findKeeping = async (db: Db): Promise<string[]> =>
  (
    await db
      .selectFrom('inventory_runs')
      .select('id')
      .where('finished_at', 'is not', null)
      .where((e) =>
        e.or(
          (['inventory_buckets', 'inventory_versions'] as const).map((table) =>
            e.exists(e.selectFrom(table).select('run_id').whereRef(`${table}.run_id`, '=', 'inventory_runs.id')),
          ),
        ),
      )
      .execute()
  ).map(({ id }) => id)

/** Runs that ended before a time, but for the last one of each inventory, which the next is compared with. */
export const deleteOldRuns = (tx: Tx, before: Date) =>
  tx
    .deleteFrom('inventory_runs')
    .where('finished_at', '<', before.toISOString())
    .where('id', 'not in', (e) =>
      e
        .selectFrom('inventory_runs as r')
        .select((f) => f.fn.max('r.id').as('id'))
        .where('r.status', '=', 'succeeded')
        .groupBy('r.inventory_id'),
    )
    .execute()
