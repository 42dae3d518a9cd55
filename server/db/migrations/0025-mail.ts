import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Mail that waits to be sent, and links whose creators want one. Only adds a table and columns with a default or nullable. */
export const mail = ({ id, bytewise, text, integer, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `create table mails (
        id ${id} primary key,
        kind ${text} not null,
        dedupe_key ${bytewise} not null unique,
        recipient ${text} not null,
        subject ${text} not null,
        sealed_body ${text},
        status ${text} not null,
        attempts ${integer} not null,
        last_error ${text},
        created_at ${timestamp} not null,
        next_attempt_at ${timestamp},
        sent_at ${timestamp},
        lease_token ${text},
        lease_until ${timestamp}
      )`,
      `create index mails_queued on mails (next_attempt_at, id) where status = 'queued'`,
      `create index mails_sending on mails (lease_until) where status = 'sending'`,
      'create index mails_created on mails (created_at)',
      `alter table shares add column notify ${integer} not null default 0`,
      `alter table shares add column notified_at ${timestamp}`,
    ])
      await sql.raw(statement).execute(db)
  },
})
