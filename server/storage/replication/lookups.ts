// What is known of replicas and their queues, besides the rows that are worked on.
import { sql } from 'kysely'
import type { Db, ObjectRow } from '../../db/schema.ts'
import type { QueueRow } from './store.ts'

/** Whether a later state of a key is waiting, so that an older one may be written before it. */
export const hasLater = async (db: Db, { bucket_id, key, version_id, moment }: QueueRow): Promise<boolean> =>
  (await db
    .selectFrom('replication_queue')
    .select('key')
    .where('bucket_id', '=', bucket_id)
    .where('key', '=', key)
    .where('version_id', '<>', version_id)
    .where('moment', '>', moment)
    .where('reason', 'is', null)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** What is waiting of a bucket, and what has failed. */
export interface Backlog {
  objects: number
  bytes: number
  /** The moment of the oldest change that waits; null if none does. */
  since: number | null
  failed: number
}
export const NOTHING: Backlog = { objects: 0, bytes: 0, since: null, failed: 0 }

/** The same of all buckets, or of one, by their ids. */
export async function sumQueues(db: Db, bucketId?: string): Promise<Map<string, Backlog>> {
  const rows = await db
    .selectFrom('replication_queue')
    .select(['bucket_id', sql<number>`case when reason is null then 0 else 1 end`.as('has_failed')])
    .select((e) => [
      e.fn.countAll<number>().as('count'),
      e.fn.sum<number>('size').as('bytes'),
      e.fn.min('since').as('since'),
    ])
    .$if(bucketId !== undefined, (query) => query.where('bucket_id', '=', bucketId as string))
    .groupBy(['bucket_id', sql`case when reason is null then 0 else 1 end`])
    .execute()
  const found = new Map<string, Backlog>()
  for (const { bucket_id, has_failed, count, bytes, since } of rows) {
    const before = found.get(bucket_id) ?? NOTHING
    found.set(
      bucket_id,
      Number(has_failed) === 1
        ? { ...before, failed: Number(count) }
        : { ...before, objects: Number(count), bytes: Number(bytes), since: Number(since) },
    )
  }
  return found
}

/** How many changes of a bucket are waiting, as far as `most`. */
export const countWaiting = async (db: Db, bucketId: string, most: number): Promise<number> =>
  (
    await db
      .selectFrom('replication_queue')
      .select('key')
      .where('bucket_id', '=', bucketId)
      .where('reason', 'is', null)
      .limit(most)
      .execute()
  ).length

/** Those that have failed after a key and version, in order. */
export const listFailed = (
  db: Db,
  bucketId: string,
  { key, version_id }: { key: string; version_id: string },
  limit: number,
): Promise<QueueRow[]> =>
  db
    .selectFrom('replication_queue')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('reason', 'is not', null)
    .where((e) => e(e.refTuple('key', 'version_id'), '>', e.tuple(key, version_id)))
    .orderBy('key')
    .orderBy('version_id')
    .limit(limit)
    .execute()

/** Which of these keys are queued or have failed. */
export const findQueuedKeys = async (db: Db, bucketId: string, keys: readonly string[]): Promise<Set<string>> =>
  new Set(
    keys.length === 0
      ? []
      : (
          await db
            .selectFrom('replication_queue')
            .select('key')
            .where('bucket_id', '=', bucketId)
            .where('key', 'in', keys)
            .execute()
        ).map(({ key }) => key),
  )

/** What is known of one version of a key. */
export const findState = (
  db: Db,
  { bucket_id, key, version_id }: Pick<ObjectRow, 'bucket_id' | 'key' | 'version_id'>,
) =>
  db
    .selectFrom('replications')
    .leftJoin('replication_queue', (join) =>
      join
        .onRef('replication_queue.bucket_id', '=', 'replications.bucket_id')
        .on('replication_queue.key', '=', key)
        .on('replication_queue.version_id', '=', version_id ?? ''),
    )
    .select(['existing', 'configured_at', 'walked_to', 'replication_queue.key', 'reason'])
    .where('replications.bucket_id', '=', bucket_id)
    .executeTakeFirst()

/** The current object of a key. */
export const findCurrent = (db: Db, bucketId: string, key: string): Promise<ObjectRow | undefined> =>
  db.selectFrom('objects').selectAll().where('bucket_id', '=', bucketId).where('key', '=', key).executeTakeFirst()

/** What the row of a blob says of its bytes. */
export const findBlob = (db: Db, id: string) =>
  db.selectFrom('blobs').select(['md5', 'envelope']).where('id', '=', id).executeTakeFirst()

/** An object with the MD5 of its bytes as a whole, if its row has it. */
export type Comparable = ObjectRow & { md5: string | null }

/** Objects after a key, up to another one or, with null, to the end. */
export const listComparable = (
  db: Db,
  bucketId: string,
  { after, to }: { after: string; to: string | null },
  limit: number,
): Promise<Comparable[]> => {
  const query = db
    .selectFrom('objects')
    .innerJoin('blobs', 'blobs.id', 'objects.blob_id')
    .selectAll('objects')
    .select('blobs.md5')
    .where('objects.bucket_id', '=', bucketId)
    .where('objects.key', '>', after)
  return (to === null ? query : query.where('objects.key', '<=', to)).orderBy('objects.key').limit(limit).execute()
}
