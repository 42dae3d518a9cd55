import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** The logo of the sign-in page and of the pages of share links. Only adds a table. */
export const siteLogo = ({ integer, text, binary, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql
      .raw(`create table site_logo (
        id ${integer} primary key check (id = 1),
        png ${binary} not null,
        hash ${text} not null,
        updated_at ${timestamp} not null
      )`)
      .execute(db)
  },
})
