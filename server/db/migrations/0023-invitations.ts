import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Invitations, and passwords to change at the next login. Only adds a table, and a column with a default. */
export const invitations = ({ id, bytewise, integer, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `create table invitations (
        user_id ${id} primary key references users (id) on delete cascade,
        token_hash ${bytewise} not null unique,
        email_key ${bytewise} not null,
        token_version ${integer} not null,
        expires_at ${timestamp} not null
      )`,
      'create index invitations_expiry on invitations (expires_at)',
      `alter table users add column must_change_password ${integer} default 0 not null`,
    ])
      await sql.raw(statement).execute(db)
  },
})
