import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Which of all copies of an instance may write: the one with the highest epoch. Only adds columns. */
export const epoch = ({ integer, text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw(`alter table instance add column epoch ${integer} not null default 0`).execute(db)
    await sql.raw(`alter table instance add column epoch_holder ${text}`).execute(db)
  },
})
