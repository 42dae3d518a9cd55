import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What counts of a change of a bucket, with the new columns; the others are those of migration 66. */
const COUNTED = `name, former_name, trash_days, versioning, object_lock, storage_id, mode, encryption, replication, created_at,
  created_by, deleted_at, history_quota_gb, quota_includes_history`

/**
 * How much snapshots alone may keep of a bucket before no more are taken, and whether that takes room of its quota. Only adds
 * columns, which change nothing as they are.
 */
export const historyQuota = ({ engine, real, integer }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table buckets add column history_quota_gb ${real}`,
      `alter table buckets add column quota_includes_history ${integer} default 0 not null`,
      ...(engine === 'sqlite'
        ? [
            `create trigger buckets_revised_by_history after update of history_quota_gb, quota_includes_history on buckets
              begin update instance set revision = revision + 1; end`,
          ]
        : [
            'drop trigger buckets_revised on buckets',
            `create trigger buckets_revised after insert or delete or update of ${COUNTED} on buckets
              for each statement execute function revise()`,
          ]),
    ])
      await sql.raw(statement).execute(db)
  },
})
