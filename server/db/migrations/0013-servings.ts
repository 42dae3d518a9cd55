import type { Kysely, Migration } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What links gave to whom, so that a download that broke off goes on without being another one. */
export const servings = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('share_servings')
      .addColumn('share_id', t.id, (c) => c.notNull().references('shares.id').onDelete('cascade'))
      .addColumn('ip', t.bytewise, (c) => c.notNull())
      .addColumn('blob_id', t.id, (c) => c.notNull())
      .addColumn('left_bytes', t.bigint, (c) => c.notNull())
      .addColumn('ends_at', t.timestamp, (c) => c.notNull())
      .addPrimaryKeyConstraint('share_servings_pkey', ['share_id', 'ip', 'blob_id'])
      .execute()
    await db.schema.createIndex('share_servings_end').on('share_servings').column('ends_at').execute()
  },
})
