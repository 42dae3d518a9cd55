import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What has been merged of forks into their origins, and under which other names jobs put objects. */
export const merges = ({ id, bytewise, bigint }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `create table fork_merges (
        bucket_id ${id} not null references buckets (id) on delete cascade,
        key ${bytewise} not null,
        origin_key ${bytewise} not null,
        fork_moment ${bigint} not null,
        origin_moment ${bigint},
        job_id ${id} not null,
        constraint fork_merges_pkey primary key (bucket_id, key)
      )`,
      'create index fork_merges_by_job on fork_merges (job_id, origin_key)',
      `alter table job_items add column dest_key ${bytewise}`,
    ])
      await sql.raw(statement).execute(db)
  },
})
