import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Which job made a delete marker, so that it can be undone. Only adds a nullable column. */
export const markersOfJobs = ({ id }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table versions add column job_id ${id}`,
      'create index versions_job on versions (job_id, seq) where job_id is not null',
    ])
      await sql.raw(statement).execute(db)
  },
})
