import { type Kysely, type Migration, sql } from 'kysely'

/** What a job or policy run deleted, by bucket: runs reach several. Only replaces two indexes. */
export const restoreOfRuns = (): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      'create index trash_undone on trash (job_id, bucket_id, id) where job_id is not null',
      'drop index trash_job',
      'create index versions_undone on versions (job_id, bucket_id, seq) where job_id is not null',
      'drop index versions_job',
    ])
      await sql.raw(statement).execute(db)
  },
})
