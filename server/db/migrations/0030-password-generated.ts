import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Whether an account still has the password that the service generated. Only adds a column. */
export const passwordGenerated = ({ integer }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw(`alter table users add column password_generated ${integer}`).execute(db)
  },
})
