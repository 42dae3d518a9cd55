import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * What merges decided for the origin, and what had been merged before, so that an undo goes back to it; and policies that take
 * snapshots. Breaking because an earlier release would take such a policy for one that deletes, and a kept conflict for a copy.
 */
export const scheduledSnapshots = ({ id, bytewise, bigint, integer }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table fork_merges add column was_moment ${bigint}`,
      `alter table fork_merges add column before_job_id ${id}`,
      `alter table fork_merges add column before_origin_key ${bytewise}`,
      `alter table fork_merges add column before_fork_moment ${bigint}`,
      `alter table fork_merges add column before_origin_moment ${bigint}`,
      `alter table job_items add column kept ${integer}`,
      `alter table policies add column keep_snapshots ${integer}`,
      `alter table snapshots add column policy_id ${id}`,
      'create index snapshots_by_policy on snapshots (policy_id, bucket_id, moment) where policy_id is not null',
    ])
      await sql.raw(statement).execute(db)
  },
})
