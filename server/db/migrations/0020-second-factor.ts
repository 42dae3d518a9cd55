import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Second factors of logins with a password. Only adds tables and a nullable column. */
export const secondFactor = ({ id, bytewise, text, integer, bigint, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `create table second_factors (
        id ${id} primary key,
        user_id ${id} not null references users (id) on delete cascade,
        kind ${text} not null,
        name ${text} not null,
        secret ${text},
        last_step ${bigint},
        credential_id ${bytewise} unique,
        public_key ${text},
        counter ${bigint},
        transports ${text},
        created_at ${timestamp} not null,
        last_used_at ${timestamp}
      )`,
      'create index second_factors_user on second_factors (user_id)',
      `create table recovery_codes (
        code_hash ${bytewise} primary key,
        user_id ${id} not null references users (id) on delete cascade,
        created_at ${timestamp} not null
      )`,
      'create index recovery_codes_user on recovery_codes (user_id)',
      `create table second_factor_challenges (
        challenge_hash ${bytewise} primary key,
        user_id ${id} not null references users (id) on delete cascade,
        purpose ${text} not null,
        token_version ${integer} not null,
        passkey_challenge ${text},
        secret ${text},
        tries ${integer} not null,
        expires_at ${timestamp} not null
      )`,
      'create index second_factor_challenges_user on second_factor_challenges (user_id)',
      'create index second_factor_challenges_expiry on second_factor_challenges (expires_at)',
      `alter table sessions add column second_factor_at ${timestamp}`,
    ])
      await sql.raw(statement).execute(db)
  },
})
