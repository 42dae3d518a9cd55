import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** The checksums that parts brought of uploads that nobody asked one of. Only adds a column. */
export const checksumsOfParts = ({ text }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw(`alter table upload_parts add column brought ${text}`).execute(db)
  },
})
