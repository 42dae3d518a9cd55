import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Of files through upload links: what their senders say of themselves, and through which link an upload in parts comes. Only
 * adds nullable columns.
 */
export const sendersOfUploads = ({ id, text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table share_accesses add column sender_name ${text}`,
      `alter table share_accesses add column sender_message ${text}`,
      `alter table uploads add column share_id ${id}`,
      `alter table uploads add column sender ${text}`,
      `alter table uploads add column attempt_hash ${text}`,
      'create index uploads_by_share on uploads (share_id) where share_id is not null',
    ])
      await sql.raw(statement).execute(db)
  },
})
