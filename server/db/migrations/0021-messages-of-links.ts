import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What the creators of share links tell their visitors. Only adds a nullable column. */
export const messagesOfLinks = ({ text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw(`alter table shares add column message ${text}`).execute(db)
  },
})
