import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What requests ask about again and again: its tables, and the columns whose change counts. */
const WATCHED: { readonly [table: string]: readonly string[] } = {
  access_keys: [
    'access_key_id',
    'user_id',
    'secret',
    'previous_secret',
    'previous_until',
    'scope',
    'expires_at',
    'revoked_at',
  ],
  tokens: [
    'user_id',
    'name',
    'token_prefix',
    'token_hash',
    'previous_hash',
    'previous_until',
    'scope',
    'expires_at',
    'revoked_at',
  ],
  sessions: ['user_id', 'auth_method', 'expires_at', 'revoked_at', 'second_factor_at'],
  users: ['email', 'display_name', 'disabled_at', 'token_version', 'idp_issuer', 'idp_subject'],
  groups: ['name', 'builtin', 'global'],
  group_members: ['group_id', 'user_id'],
  grants: ['group_id', 'bucket_pattern', 'prefix', 'actions'],
  settings: ['overrides'],
  buckets: [
    'name',
    'former_name',
    'trash_days',
    'versioning',
    'object_lock',
    'storage_id',
    'mode',
    'created_at',
    'created_by',
    'deleted_at',
  ],
  bucket_config: ['bucket_id', 'kind', 'document'],
  quotas: ['scope', 'quota_gb'],
  webhooks: ['events', 'bucket', 'prefix', 'format', 'disabled_at'],
}

const COUNT = 'begin update instance set revision = revision + 1; end'

/**
 * A number that every change of credentials, rights, settings, and of what is configured of buckets raises, in the
 * transaction that makes it, whoever makes it. Only SQLite counts: on PostgreSQL all such changes would wait for one row.
 */
export const revision = ({ engine, bigint }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw(`alter table instance add column revision ${bigint} not null default 0`).execute(db)
    if (engine !== 'sqlite') return
    for (const [table, columns] of Object.entries(WATCHED))
      for (const [event, when] of [
        ['insert', 'insert'],
        ['delete', 'delete'],
        ['change', `update of ${columns.join(', ')}`],
      ])
        await sql.raw(`create trigger ${table}_revised_by_${event} after ${when} on ${table} ${COUNT}`).execute(db)
  },
})
