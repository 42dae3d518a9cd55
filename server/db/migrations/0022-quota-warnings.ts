import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** At what percentage of its quota a bucket was last announced. Only adds a table. */
export const quotaWarnings = ({ id, integer, real }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql
      .raw(
        `create table quota_warnings (
        bucket_id ${id} primary key references quotas (scope) on delete cascade,
        percent ${integer} not null,
        quota_gb ${real} not null
      )`,
      )
      .execute(db)
  },
})
