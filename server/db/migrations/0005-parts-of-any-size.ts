import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Uploads whose parts have any size, and the checksums that uploads in parts are to have. */
export const partsOfAnySize = ({ text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const column of [
      `uploads add column kind ${text} not null default 'planned'`,
      `uploads add column checksum_algorithm ${text}`,
      `uploads add column checksum_type ${text}`,
      `upload_parts add column checksum ${text}`,
    ])
      await sql.raw(`alter table ${column}`).execute(db)
  },
})
