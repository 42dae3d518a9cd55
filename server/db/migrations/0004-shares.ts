import type { Kysely, Migration } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Links for people without an account, and who opened them. */
export const shares = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('shares')
      .addColumn('id', t.id, (c) => c.primaryKey())
      .addColumn('token_hash', t.bytewise, (c) => c.notNull().unique())
      .addColumn('kind', t.text, (c) => c.notNull())
      .addColumn('bucket_id', t.id, (c) => c.notNull())
      .addColumn('bucket', t.bytewise, (c) => c.notNull())
      .addColumn('target', t.text, (c) => c.notNull())
      .addColumn('created_by', t.id, (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created_at', t.timestamp, (c) => c.notNull())
      .addColumn('expires_at', t.timestamp)
      .addColumn('revoked_at', t.timestamp)
      .addColumn('password_hash', t.text)
      .addColumn('max_downloads', t.bigint)
      .addColumn('downloads', t.bigint, (c) => c.notNull())
      .addColumn('filename', t.text)
      .addColumn('disposition', t.text)
      .addColumn('limits', t.text, (c) => c.notNull())
      .addColumn('received_files', t.bigint, (c) => c.notNull())
      .addColumn('received_bytes', t.bigint, (c) => c.notNull())
      .execute()
    await db.schema.createIndex('shares_creator').on('shares').columns(['created_by', 'id']).execute()
    await db.schema.createIndex('shares_bucket').on('shares').columns(['bucket', 'id']).execute()
    await db.schema
      .createTable('share_usage')
      .addColumn('share_id', t.id, (c) => c.notNull().references('shares.id').onDelete('cascade'))
      .addColumn('shard', t.integer, (c) => c.notNull())
      .addColumn('count', t.bigint, (c) => c.notNull())
      .addColumn('last_at', t.timestamp, (c) => c.notNull())
      .addPrimaryKeyConstraint('share_usage_pkey', ['share_id', 'shard'])
      .execute()
    await db.schema
      .createTable('share_accesses')
      .addColumn('id', t.id, (c) => c.primaryKey())
      .addColumn('share_id', t.id, (c) => c.notNull().references('shares.id').onDelete('cascade'))
      .addColumn('time', t.timestamp, (c) => c.notNull())
      .addColumn('outcome', t.text, (c) => c.notNull())
      .addColumn('object_key', t.bytewise)
      .addColumn('ip', t.text)
      .addColumn('user_agent', t.text)
      .execute()
    await db.schema.createIndex('share_accesses_share').on('share_accesses').columns(['share_id', 'id']).execute()
    await db.schema.createIndex('share_accesses_time').on('share_accesses').column('time').execute()
  },
})
