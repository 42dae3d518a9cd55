import type { Kysely, Migration } from 'kysely'
import { sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What buckets held and what went through them over time, and what they hold by content type. */
export const usage = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('usage_history')
      .addColumn('step', t.bytewise, (c) => c.notNull())
      .addColumn('bucket_id', t.id, (c) => c.notNull())
      .addColumn('time', t.timestamp, (c) => c.notNull())
      .addColumn('used_bytes', t.bigint)
      .addColumn('object_count', t.bigint)
      .addColumn('uploaded_bytes', t.bigint, (c) => c.notNull())
      .addColumn('downloaded_bytes', t.bigint, (c) => c.notNull())
      .addColumn('requests', t.bigint, (c) => c.notNull())
      .addPrimaryKeyConstraint('usage_history_pkey', ['step', 'bucket_id', 'time'])
      .execute()
    await db.schema
      .createTable('usage_buckets')
      .addColumn('bucket_id', t.id, (c) => c.primaryKey())
      .addColumn('name', t.bytewise, (c) => c.notNull())
      .addColumn('types_at', t.timestamp)
      .addColumn('types_of', t.text)
      .addColumn('types_due', t.timestamp)
      .execute()
    await db.schema
      .createTable('usage_types')
      .addColumn('bucket_id', t.id, (c) => c.notNull())
      .addColumn('content_type', t.bytewise, (c) => c.notNull())
      .addColumn('bytes', t.bigint, (c) => c.notNull())
      .addColumn('objects', t.bigint, (c) => c.notNull())
      .addPrimaryKeyConstraint('usage_types_pkey', ['bucket_id', 'content_type'])
      .execute()
    await db.schema
      .createTable('usage_samples')
      .addColumn('time', t.timestamp, (c) => c.primaryKey())
      .addColumn('sampled_to', t.id, (c) => c.notNull())
      .addColumn('finished_at', t.timestamp)
      .execute()
    await db.schema
      .createIndex('webhook_deliveries_failed')
      .on('webhook_deliveries')
      .columns(['created_at'] as never[])
      .where(sql<boolean>`status = 'failed'` as never)
      .execute()
  },
})
