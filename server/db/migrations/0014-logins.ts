import type { Kysely, Migration } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Codes of browser logins belong to the browser that began the login. */
export const logins = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema.alterTable('handoffs').addColumn('cookie_hash', t.text).execute()
  },
})
