import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Bulk changes that were tried and may be made as they were, by the credential that tried them. */
export const plans = ({ id, text, bytewise, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `create table plans (
        id ${id} primary key,
        user_id ${id} not null references users (id) on delete cascade,
        credential ${id} not null,
        change ${text} not null,
        state ${bytewise} not null,
        expires_at ${timestamp} not null
      )`,
      'create index plans_expiry on plans (expires_at)',
      'create index plans_credential on plans (credential, id)',
    ])
      await sql.raw(statement).execute(db)
  },
})
