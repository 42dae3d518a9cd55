import type { Kysely, Migration } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Bytes of uploads that are on their way, so that every process counts them. */
export const incoming = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('incoming')
      .addColumn('id', t.id, (c) => c.primaryKey())
      .addColumn('bucket_id', t.id, (c) => c.notNull())
      .addColumn('share_id', t.id)
      .addColumn('bytes', t.bigint, (c) => c.notNull())
      .addColumn('expires_at', t.timestamp, (c) => c.notNull())
      .execute()
    await db.schema.createIndex('incoming_by_share').on('incoming').column('share_id').execute()
    await db.schema.createIndex('incoming_by_expiry').on('incoming').column('expires_at').execute()
    await db.schema.alterTable('uploads').addColumn('lapsed_at', t.timestamp).execute()
    await db.schema.createIndex('uploads_by_creator').on('uploads').column('created_by').execute()
  },
})
