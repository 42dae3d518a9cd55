// Who changed keys, and when. Only reads.
import { sql } from 'kysely'
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

/** When the last objects under these keys ended, and who ended them. */
export const findEnds = (
  db: Db,
  bucketId: string,
  keys: readonly string[],
): Promise<{ key: string; ended: number; ended_by: number | null }[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('former_objects as f')
        .select(['f.key', 'f.ended', 'f.ended_by'])
        .where('f.bucket_id', '=', bucketId)
        .where('f.key', 'in', keys)
        .where('f.ended', '=', (e) =>
          e
            .selectFrom('former_objects as later')
            .select('later.ended')
            .where('later.bucket_id', '=', bucketId)
            .whereRef('later.key', '=', 'f.key')
            .orderBy('later.ended', 'desc')
            .limit(sql.lit(1)),
        )
        .execute()

/** As whom a job's changes are noted. */
export const findAuthorsOfJob = async (db: Db, jobId: string): Promise<number[]> =>
  (await db.selectFrom('change_authors').select('id').where('job_id', '=', jobId).execute()).map(({ id }) => Number(id))
