import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Signing in with a passkey alone, and passwords that were forgotten. Only adds tables and nullable columns. */
export const signIn = ({ id, bytewise, text, integer, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table sessions add column signed_in_with ${text}`,
      `alter table second_factors add column discoverable ${integer}`,
      `create table used_passkey_challenges (
        challenge_hash ${bytewise} primary key,
        expires_at ${timestamp} not null
      )`,
      'create index used_passkey_challenges_expiry on used_passkey_challenges (expires_at)',
      `create table password_reset_requests (
        id ${id} primary key,
        email ${text} not null,
        email_key ${bytewise} not null,
        language ${text},
        origin ${text} not null,
        requested_at ${timestamp} not null
      )`,
      `create table password_resets (
        token_hash ${bytewise} primary key,
        user_id ${id} not null references users (id) on delete cascade,
        email_key ${bytewise} not null,
        token_version ${integer} not null,
        expires_at ${timestamp} not null
      )`,
      'create index password_resets_user on password_resets (user_id)',
      'create index password_resets_expiry on password_resets (expires_at)',
    ])
      await sql.raw(statement).execute(db)
  },
})
