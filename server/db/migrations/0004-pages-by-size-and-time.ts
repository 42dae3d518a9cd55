import { type Kysely, type Migration, sql } from 'kysely'

/** The part of a key up to its last slash. */
const PARENT = "rtrim(key, replace(key, '/', ''))"

/** Indexes for what is directly in a folder, by size and by time. */
export const pagesBySizeAndTime = (): Migration => ({
  async up(db: Kysely<never>) {
    for (const column of ['size', 'last_modified'])
      await sql.raw(`create index objects_by_${column} on objects (bucket_id, (${PARENT}), ${column}, key)`).execute(db)
  },
})
