import type { Kysely, Migration } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What a job moved, from where to where, so that it can be undone. */
export const moves = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('job_moves')
      .addColumn('job_id', t.id, (c) => c.notNull().references('jobs.id').onDelete('cascade'))
      .addColumn('position', t.bigint, (c) => c.notNull())
      .addColumn('source_key', t.bytewise, (c) => c.notNull())
      .addColumn('bucket_id', t.id, (c) => c.notNull())
      .addColumn('key', t.bytewise, (c) => c.notNull())
      .addColumn('blob_id', t.id, (c) => c.notNull())
      .addColumn('trash_id', t.id)
      .addPrimaryKeyConstraint('job_moves_pkey', ['job_id', 'position'])
      .execute()
  },
})
