import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Whether the engine of a mirror can hold copies. Only adds a column. */
export const lockedMirrors = ({ integer }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw(`alter table mirrors add column locks ${integer} not null default 0`).execute(db)
  },
})
