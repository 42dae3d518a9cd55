import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** The language of the console by account. Only adds a column. */
export const language = ({ text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw(`alter table users add column language ${text}`).execute(db)
  },
})
