import type { Kysely, Migration } from 'kysely'
import { sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Which job put contents into the trash, so that it can be undone. What no job put there costs the index nothing. */
export const undo = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema.alterTable('trash').addColumn('job_id', t.id).execute()
    await db.schema
      .createIndex('trash_job')
      .on('trash')
      .columns(['job_id', 'id'] as never[])
      .where(sql<boolean>`job_id is not null` as never)
      .execute()
  },
})
