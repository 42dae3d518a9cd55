import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What a personal access token is limited to. An earlier release would let such a token do all that its owner may do. */
export const tokenScope = ({ text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw(`alter table tokens add column scope ${text}`).execute(db)
  },
})
