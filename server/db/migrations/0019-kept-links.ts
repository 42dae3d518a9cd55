import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** The tokens of share links, encrypted, so that their creators can get them again. Only adds a nullable column. */
export const keptLinks = ({ text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw(`alter table shares add column sealed_token ${text}`).execute(db)
  },
})
