import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** The stretch of time before a start that nobody noted, for the processes that start after it. Only adds columns. */
export const clockGap = ({ timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const column of ['clock_gap_from', 'clock_gap_seen'])
      await sql.raw(`alter table instance add column ${column} ${timestamp}`).execute(db)
  },
})
