// Who changed keys, and when. Only reads.
import type { Db } from '../../../db/schema.ts'

/** Who changed these keys after a moment, each once; an author is null where it is not known. */
export async function findChangers(
  db: Db,
  { bucketId, since }: { bucketId: string; since: number },
  keys: readonly string[],
): Promise<{ key: string; author: number | null }[]> {
  if (keys.length === 0) return []
  const changes = (table: 'objects' | 'former_objects') =>
    db
      .selectFrom(table)
      .select(['key', 'author'])
      .where('bucket_id', '=', bucketId)
      .where('key', 'in', keys)
      .where('moment', '>', since)
  const ends = db
    .selectFrom('former_objects')
    .select(['key', 'ended_by as author'])
    .where('bucket_id', '=', bucketId)
    .where('key', 'in', keys)
    .where('ended', '>', since)
  return changes('objects').union(changes('former_objects')).union(ends).execute()
}

/** As whom a job's changes are noted. */
export const findAuthorsOfJob = async (db: Db, jobId: string): Promise<number[]> =>
  (await db.selectFrom('change_authors').select('id').where('job_id', '=', jobId).execute()).map(({ id }) => Number(id))
