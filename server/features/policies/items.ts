import { sql } from 'kysely'
import type { KeyRange } from '../../../contract/permissions.ts'
import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'

// The SQL of the objects a run examines, and of the items it stores.

export type ItemRow = Row<'policy_run_items'>

/** An object as a run sees it. */
export type Candidate = Pick<Row<'objects'>, (typeof seen)[number]>

const seen = ['key', 'version_id', 'size', 'etag', 'blob_id', 'last_modified', 'tags'] as const

/** How the API names an item: of an object the version is null. */
export const versionOf = ({
  version_seq,
  version_id,
  blob_id,
}: Pick<ItemRow, 'version_seq' | 'version_id' | 'blob_id'>) => ({
  version_id: version_seq === null ? null : (version_id ?? 'null'),
  marker: blob_id === '',
})

/** Objects of a range in key order. */
export function listCandidates(db: Db, bucketId: string, { from, to }: KeyRange, limit: number): Promise<Candidate[]> {
  const query = db.selectFrom('objects').select(seen).where('bucket_id', '=', bucketId).where('key', '>=', from)
  return (to === null ? query : query.where('key', '<', to)).orderBy('key').limit(limit).execute()
}

/** Objects directly in a folder and in a key range, changed at or after a time and at least of the given size. */
export function listRecent(
  db: Db,
  { bucketId, folder, since, minSize }: { bucketId: string; folder: string; since: string; minSize: number },
  { from, to }: KeyRange,
  limit: number,
): Promise<Candidate[]> {
  const query = db
    .selectFrom('objects')
    .select(seen)
    .where('bucket_id', '=', bucketId)
    .where('key', '>=', from)
    .where('last_modified', '>=', since)
    .where('size', '>=', minSize)
    .where(sql<boolean>`instr(substr(key, ${sql.lit([...folder].length + 1)}), '/') = 0`)
  return (to === null ? query : query.where('key', '<', to)).orderBy('key').limit(limit).execute()
}

export const insertItems = async (tx: Tx, rows: readonly NewRow<'policy_run_items'>[]): Promise<void> => {
  if (rows.length > 0) await tx.insertInto('policy_run_items').values(rows).execute()
}

/** Items after a position, in order; only those with `outcome` if given (null: not processed yet). */
export function listItems(
  db: Db,
  runId: string,
  { after, outcome }: { after: number; outcome?: ItemRow['outcome'] | undefined },
  limit: number,
): Promise<ItemRow[]> {
  let query = db.selectFrom('policy_run_items').selectAll().where('run_id', '=', runId).where('position', '>', after)
  if (outcome === null) query = query.where('outcome', 'is', null)
  else if (outcome !== undefined) query = query.where('outcome', '=', outcome)
  return query.orderBy('position').limit(limit).execute()
}

/** Stores the outcome of the items `from` < position <= `to` that have none yet. */
export const noteOutcome = (
  tx: Tx,
  runId: string,
  { from, to }: { from: number; to: number },
  outcome: NonNullable<ItemRow['outcome']>,
) =>
  tx
    .updateTable('policy_run_items')
    .set({ outcome })
    .where('run_id', '=', runId)
    .where('position', '>', from)
    .where('position', '<=', to)
    .where('outcome', 'is', null)
    .execute()

/** Stores the outcome of single items. */
export const noteOutcomeOf = async (
  tx: Tx,
  runId: string,
  positions: readonly number[],
  outcome: NonNullable<ItemRow['outcome']>,
): Promise<void> => {
  if (positions.length > 0)
    await tx
      .updateTable('policy_run_items')
      .set({ outcome })
      .where('run_id', '=', runId)
      .where('position', 'in', positions)
      .execute()
}

/** Deletes up to `limit` of the last items; returns how many. */
export const deleteItems = async (tx: Tx, runId: string, limit: number): Promise<number> =>
  (
    await tx
      .deleteFrom('policy_run_items')
      .where('run_id', '=', runId)
      .where('position', 'in', (e) =>
        e
          .selectFrom('policy_run_items')
          .select('position')
          .where('run_id', '=', runId)
          .orderBy('position', 'desc')
          .limit(limit),
      )
      .returning('position')
      .execute()
  ).length
