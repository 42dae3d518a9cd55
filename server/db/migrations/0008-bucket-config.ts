import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What is configured of a bucket beside its quota and its trash: one document of each kind. */
export const bucketConfig = ({ id, bytewise, text, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql
      .raw(
        `create table bucket_config (
        bucket_id ${id} not null references buckets (id) on delete cascade,
        kind ${bytewise} not null,
        document ${text} not null,
        updated_at ${timestamp} not null,
        updated_by ${id},
        primary key (bucket_id, kind)
      )`,
      )
      .execute(db)
  },
})
