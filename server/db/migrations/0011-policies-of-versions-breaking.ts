import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Conditions of policies about versions. A release that does not know them would take a policy with only such conditions
 * for one that deletes every object.
 */
export const policiesOfVersions = ({ id, integer, bigint }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table policies add column noncurrent_days ${integer}`,
      `alter table policies add column keep_versions ${integer}`,
      `alter table policies add column expired_markers ${integer}`,
      `alter table policy_run_items add column version_seq ${bigint}`,
      `alter table policy_run_items add column version_id ${id}`,
    ])
      await sql.raw(statement).execute(db)
  },
})
