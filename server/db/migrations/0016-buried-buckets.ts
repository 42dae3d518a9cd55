import type { Kysely, Migration } from 'kysely'
import { sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * The name that people knew a deleted bucket by. The release before buried it under its id, which another bucket may be
 * called by; from now on it lies under what can be no name, and so does what that release has buried. Of those the name is
 * known where they have a history.
 */
export const buriedBuckets = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema.alterTable('buckets').addColumn('former_name', t.bytewise).execute()
    await sql`
      update buckets set
        former_name = (select u.name from usage_buckets u where u.bucket_id = buckets.id),
        name = '~' || id
      where deleted_at is not null`.execute(db)
  },
})
