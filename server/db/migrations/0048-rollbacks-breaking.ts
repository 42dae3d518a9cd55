import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** While a bucket keeps neither a trash nor versions, nothing is kept of what it was. */
const BEGINS_TO_KEEP =
  'old.trash_days = 0 and old.versioning is null and (new.trash_days > 0 or new.versioning is not null)'
const NOTE = `insert into forgotten_moments (bucket_id, moment) values (new.id, strongroom_moment(0))
  on conflict (bucket_id) do update set moment = excluded.moment;`
const notes = {
  sqlite: [
    `create trigger buckets_begin_to_keep after update of trash_days, versioning on buckets when ${BEGINS_TO_KEEP}
    begin ${NOTE} end`,
  ],
  postgres: [
    `create or replace function strongroom_begin_to_keep() returns trigger language plpgsql as $$
    begin ${NOTE} return null; end $$`,
    `create trigger buckets_begin_to_keep after update of trash_days, versioning on buckets for each row
    when (${BEGINS_TO_KEEP}) execute function strongroom_begin_to_keep()`,
  ],
} as const

/**
 * What jobs plan to do, to which moment each key goes back, and since when it had been what was listed. And what a bucket was is
 * known from when it begins to keep it. Breaking because an earlier release would take a rollback for a copy.
 */
export const rollbacks = ({ engine, text, bigint }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table jobs add column plan ${text}`,
      `alter table job_items add column moment ${bigint}`,
      `alter table job_items add column seen ${bigint}`,
      'create index change_authors_by_job on change_authors (job_id)',
      ...notes[engine],
    ])
      await sql.raw(statement).execute(db)
  },
})
