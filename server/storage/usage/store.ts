import type { Db, NewRow, Row, Tx } from '../../db/schema.ts'

export type Step = Row<'usage_history'>['step']
export type HistoryRow = Row<'usage_history'>
/** In place of a bucket's id: requests without a bucket. */
export const NO_BUCKET = ''

// ---- Writing down ----------------------------------------------------------------------------------------------

/** Adds to existing rows, and replaces what was held if the new row has it. */
export const addHistory = (tx: Tx, rows: readonly HistoryRow[]) =>
  tx
    .insertInto('usage_history')
    .values(rows as NewRow<'usage_history'>[])
    .onConflict((conflict) =>
      conflict.columns(['step', 'bucket_id', 'time']).doUpdateSet((e) => ({
        used_bytes: e.fn.coalesce(e.ref('excluded.used_bytes'), e.ref('usage_history.used_bytes')),
        object_count: e.fn.coalesce(e.ref('excluded.object_count'), e.ref('usage_history.object_count')),
        uploaded_bytes: e('usage_history.uploaded_bytes', '+', e.ref('excluded.uploaded_bytes')),
        downloaded_bytes: e('usage_history.downloaded_bytes', '+', e.ref('excluded.downloaded_bytes')),
        requests: e('usage_history.requests', '+', e.ref('excluded.requests')),
      })),
    )
    .execute()

export const addBuckets = (tx: Tx, buckets: readonly { id: string; name: string }[]) =>
  tx
    .insertInto('usage_buckets')
    .values(buckets.map(({ id, name }) => ({ bucket_id: id, name, types_at: null, types_of: null, types_due: null })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()

const live = (db: Db) => db.selectFrom('buckets').select(['id', 'name']).where('deleted_at', 'is', null)

/** Those of these names and ids that exist, by id. */
export const findLive = (db: Db, names: readonly string[], ids: readonly string[]) =>
  live(db)
    .where((e) => e.or([e('name', 'in', ['', ...names]), e('id', 'in', ['', ...ids])]))
    .orderBy('id')
    .execute()

export const listLive = (db: Db, after: string, limit: number) =>
  live(db).where('id', '>', after).orderBy('id').limit(limit).execute()

/** Those of these ids that have a history. */
export const findCounted = async (db: Db, ids: readonly string[]): Promise<string[]> =>
  ids.length === 0
    ? []
    : (await db.selectFrom('usage_buckets').select('bucket_id').where('bucket_id', 'in', ids).execute()).map(
        ({ bucket_id }) => bucket_id,
      )

// ---- Samples of what is held -----------------------------------------------------------------------------------

export const findSample = (db: Db, time: string) =>
  db.selectFrom('usage_samples').selectAll().where('time', '=', time).executeTakeFirst()

/** Starts an hour's sample unless it exists, and locks it. */
export async function lockSample(tx: Tx, time: string): Promise<Row<'usage_samples'>> {
  await tx
    .insertInto('usage_samples')
    .values({ time, sampled_to: '', finished_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return tx.selectFrom('usage_samples').selectAll().where('time', '=', time).forUpdate().executeTakeFirstOrThrow()
}

export const updateSample = (tx: Tx, { time, ...change }: Row<'usage_samples'>) =>
  tx.updateTable('usage_samples').set(change).where('time', '=', time).execute()

export const deleteSamples = (tx: Tx, before: string) =>
  tx.deleteFrom('usage_samples').where('time', '<', before).execute()

// ---- Expiry ----------------------------------------------------------------------------------------------------

export const listCounted = (db: Db, after: string, limit: number) =>
  db.selectFrom('usage_buckets').selectAll().where('bucket_id', '>', after).orderBy('bucket_id').limit(limit).execute()

export const deleteHistory = (tx: Tx, step: Step, bucketIds: readonly string[], before: string) =>
  tx
    .deleteFrom('usage_history')
    .where('step', '=', step)
    .where('bucket_id', 'in', bucketIds)
    .where('time', '<', before)
    .execute()

/**
 * Of these buckets, forgets those that no longer exist: their content types, and the rest once they have no history.
 */
export async function forgetDeleted(tx: Tx, bucketIds: readonly string[]): Promise<void> {
  const gone = tx
    .selectFrom('usage_buckets')
    .select('usage_buckets.bucket_id')
    .leftJoin('buckets', (join) =>
      join.onRef('buckets.id', '=', 'usage_buckets.bucket_id').on('deleted_at', 'is', null),
    )
    .where('usage_buckets.bucket_id', 'in', bucketIds)
    .where('buckets.id', 'is', null)
  await tx.deleteFrom('usage_types').where('bucket_id', 'in', gone).execute()
  await tx
    .deleteFrom('usage_buckets')
    .where('bucket_id', 'in', gone)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('usage_history')
            .select('time')
            .whereRef('usage_history.bucket_id', '=', 'usage_buckets.bucket_id')
            .where('step', '=', 'day'),
        ),
      ),
    )
    .execute()
}

// ---- Reading ---------------------------------------------------------------------------------------------------

/** Every bucket with a history; `live` is null for those that no longer exist. */
export const listNames = (db: Db, bucket: string | undefined) =>
  db
    .selectFrom('usage_buckets')
    .leftJoin('buckets', (join) =>
      join.onRef('buckets.id', '=', 'usage_buckets.bucket_id').on('deleted_at', 'is', null),
    )
    .select(['usage_buckets.bucket_id as id', 'usage_buckets.name', 'buckets.id as live'])
    .$if(bucket !== undefined, (query) => query.where('usage_buckets.name', '=', bucket ?? ''))
    .orderBy('usage_buckets.bucket_id')
    .execute()

export interface Span {
  step: Step
  from: string
  to: string
}
const inSpan = (db: Db, { step, from, to }: Span, ids: readonly string[]) =>
  db
    .selectFrom('usage_history')
    .where('step', '=', step)
    .where('bucket_id', 'in', ids)
    .where('time', '>=', from)
    .where('time', '<', to)

/** The most each bucket held, and its total traffic. */
export const summarise = (db: Db, span: Span, ids: readonly string[]) =>
  inSpan(db, span, ids)
    .select((e) => [
      'bucket_id as id',
      e.fn.coalesce(e.fn.max('used_bytes'), e.lit(0)).as('most'),
      e.fn.sum<number>('uploaded_bytes').as('uploaded_bytes'),
      e.fn.sum<number>('downloaded_bytes').as('downloaded_bytes'),
      e.fn.sum<number>('requests').as('requests'),
    ])
    .groupBy('bucket_id')
    .execute()

/** These buckets' data points, each bucket's in order of time. */
export const listHistory = (db: Db, span: Span, ids: readonly string[]): Promise<HistoryRow[]> =>
  inSpan(db, span, ids).selectAll().orderBy('bucket_id').orderBy('time').execute()

/** These buckets' data points added up, in order of time. */
export const addUpHistory = (db: Db, span: Span, ids: readonly string[]) =>
  inSpan(db, span, ids)
    .select((e) => [
      'time',
      e.fn.sum<number | null>('used_bytes').as('used_bytes'),
      e.fn.sum<number | null>('object_count').as('object_count'),
      e.fn.sum<number>('uploaded_bytes').as('uploaded_bytes'),
      e.fn.sum<number>('downloaded_bytes').as('downloaded_bytes'),
      e.fn.sum<number>('requests').as('requests'),
    ])
    .groupBy('time')
    .orderBy('time')
    .execute()
