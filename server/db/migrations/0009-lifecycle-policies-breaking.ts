import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Conditions of policies that S3's lifecycle rules have, and the rules that policies carry out. A release that does not
 * know the conditions would delete what they keep.
 */
export const lifecyclePolicies = ({ id, text, bigint, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table policies add column max_size ${bigint}`,
      `alter table policies add column tags ${text}`,
      `alter table policies add column date ${timestamp}`,
      `alter table policies add column bucket_id ${id}`,
      `alter table policies add column lifecycle_rule ${text}`,
      'create index policies_bucket on policies (bucket_id) where bucket_id is not null',
    ])
      await sql.raw(statement).execute(db)
  },
})
