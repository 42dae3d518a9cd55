// The warnings that were announced of quotas that are nearly used up.
import type { Db, Row, Tx } from '../../../db/schema.ts'

export type Warning = Pick<Row<'quota_warnings'>, 'percent' | 'quota_gb'>

/** Buckets that have a quota, by id, with what was announced of them. */
export const listQuotas = (db: Db, after: string, limit: number) =>
  db
    .selectFrom('quotas')
    .innerJoin('buckets', 'buckets.id', 'quotas.scope')
    .leftJoin('quota_warnings', 'quota_warnings.bucket_id', 'quotas.scope')
    .select(['quotas.scope as bucket_id', 'quotas.quota_gb', 'percent', 'quota_warnings.quota_gb as warned_quota_gb'])
    .select('buckets.quota_includes_history')
    .where('scope', '>', after)
    .where('deleted_at', 'is', null)
    .orderBy('scope')
    .limit(limit)
    .execute()

/** Locks a bucket's quota, if it has one. */
export const lockQuota = (tx: Tx, bucketId: string) =>
  tx.selectFrom('quotas').select('quota_gb').where('scope', '=', bucketId).forUpdate().executeTakeFirst()

export const findWarning = (db: Db, bucketId: string): Promise<Warning | undefined> =>
  db.selectFrom('quota_warnings').select(['percent', 'quota_gb']).where('bucket_id', '=', bucketId).executeTakeFirst()

export const putWarning = (tx: Tx, row: Row<'quota_warnings'>) =>
  tx
    .insertInto('quota_warnings')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('bucket_id').doUpdateSet({ percent: row.percent, quota_gb: row.quota_gb }),
    )
    .execute()

export const deleteWarning = (tx: Tx, bucketId: string) =>
  tx.deleteFrom('quota_warnings').where('bucket_id', '=', bucketId).execute()
