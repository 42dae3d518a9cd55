import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What senders of files through upload links say of themselves. Only adds nullable columns. */
export const sendersOfUploads = ({ text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const column of ['sender_name', 'sender_message'])
      await sql.raw(`alter table share_accesses add column ${column} ${text}`).execute(db)
  },
})
