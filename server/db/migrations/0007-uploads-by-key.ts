import { type Kysely, type Migration, sql } from 'kysely'

/** An index for listing a bucket's open uploads in the order of their keys. */
export const uploadsByKey = (): Migration => ({
  async up(db: Kysely<never>) {
    await sql.raw('create index uploads_by_key on uploads (bucket_id, key, id) where completed_at is null').execute(db)
  },
})
