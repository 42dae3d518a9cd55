import type { Kysely, Migration } from 'kysely'
import { sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Personal access tokens, logins through an identity provider, runtime settings; quotas of everything together. */
export const identity = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('users')
      .addColumn('search_key', t.text, (c) => c.notNull().defaultTo(''))
      .execute()
    await sql`update users set search_key = lower(email_key || ' ' || display_name)`.execute(db)

    await db.schema
      .createTable('tokens')
      .addColumn('id', t.id, (c) => c.primaryKey())
      .addColumn('user_id', t.id, (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('name', t.text, (c) => c.notNull())
      .addColumn('token_prefix', t.text, (c) => c.notNull())
      .addColumn('token_hash', t.bytewise, (c) => c.notNull().unique())
      .addColumn('previous_hash', t.bytewise, (c) => c.unique())
      .addColumn('previous_until', t.timestamp)
      .addColumn('created_at', t.timestamp, (c) => c.notNull())
      .addColumn('created_via', t.text, (c) => c.notNull())
      .addColumn('created_by_token_id', t.id)
      .addColumn('expires_at', t.timestamp)
      .addColumn('last_used_at', t.timestamp)
      .addColumn('last_used_ip', t.text)
      .addColumn('revoked_at', t.timestamp)
      .addColumn('notice_days', t.integer)
      .execute()
    await db.schema.createIndex('tokens_user').on('tokens').columns(['user_id', 'id']).execute()
    await db.schema.createIndex('tokens_creator').on('tokens').column('created_by_token_id').execute()
    await db.schema
      .createIndex('tokens_expiry')
      .on('tokens')
      .column('expires_at')
      .where(sql.ref('expires_at'), 'is not', null)
      .execute()

    await db.schema
      .createTable('idp_logins')
      .addColumn('state_hash', t.bytewise, (c) => c.primaryKey())
      .addColumn('cookie_hash', t.text, (c) => c.notNull())
      .addColumn('nonce', t.text, (c) => c.notNull())
      .addColumn('code_verifier', t.text, (c) => c.notNull())
      .addColumn('return_to', t.text)
      .addColumn('created_at', t.timestamp, (c) => c.notNull())
      .addColumn('expires_at', t.timestamp, (c) => c.notNull())
      .execute()
    await db.schema.createIndex('idp_logins_expiry').on('idp_logins').column('expires_at').execute()
    await db.schema
      .createTable('handoffs')
      .addColumn('code_hash', t.bytewise, (c) => c.primaryKey())
      .addColumn('session_id', t.id, (c) => c.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('refresh_jti', t.id, (c) => c.notNull())
      .addColumn('expires_at', t.timestamp, (c) => c.notNull())
      .execute()
    await db.schema.createIndex('handoffs_session').on('handoffs').column('session_id').execute()
    await db.schema.createIndex('handoffs_expiry').on('handoffs').column('expires_at').execute()

    await db.schema
      .createTable('settings')
      .addColumn('id', t.integer, (c) => c.primaryKey())
      .addColumn('changed', t.text, (c) => c.notNull())
      .execute()
    await sql`insert into settings (id, changed) values (1, '{}')`.execute(db)

    await db.schema
      .createTable('quotas')
      .addColumn('scope', t.id, (c) => c.primaryKey())
      .addColumn('quota_gb', t.real, (c) => c.notNull())
      .addColumn('used_bytes', t.bigint)
      .execute()
    await sql`insert into quotas (scope, quota_gb) select bucket_id, quota_gb from bucket_quotas`.execute(db)
    await db.schema.dropTable('bucket_quotas').execute()
  },
})
