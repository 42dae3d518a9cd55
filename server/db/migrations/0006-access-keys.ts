import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Key pairs that sign S3 requests. */
export const accessKeys = ({ id, bytewise, text, timestamp, integer }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `create table access_keys (
        id ${id} primary key,
        user_id ${id} not null references users (id) on delete cascade,
        name ${text} not null,
        access_key_id ${bytewise} not null unique,
        secret ${text} not null,
        previous_secret ${text},
        previous_until ${timestamp},
        scope ${text},
        created_at ${timestamp} not null,
        created_via ${text} not null,
        created_by_token_id ${id},
        expires_at ${timestamp},
        last_used_at ${timestamp},
        last_used_ip ${text},
        revoked_at ${timestamp},
        notice_days ${integer}
      )`,
      'create index access_keys_user on access_keys (user_id, id)',
      'create index access_keys_creator on access_keys (created_by_token_id)',
      'create index access_keys_expiry on access_keys (expires_at) where expires_at is not null',
    ])
      await sql.raw(statement).execute(db)
  },
})
