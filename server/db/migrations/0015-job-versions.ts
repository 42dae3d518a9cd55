import type { Kysely, Migration } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Which version of an object a job listed: null in what the release before wrote down, the nil UUID where nothing was
 * under a key that was named. And how many objects a job left alone because they had changed since.
 */
export const jobVersions = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema.alterTable('job_items').addColumn('blob_id', t.id).execute()
    await db.schema.alterTable('job_items').addColumn('last_modified', t.timestamp).execute()
    await db.schema
      .alterTable('jobs')
      .addColumn('changed', t.bigint, (c) => c.notNull().defaultTo(0))
      .execute()
  },
})
