import { type SqlBool, sql } from 'kysely'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

export type ReplicationRow = Row<'replications'>
export type QueueRow = Row<'replication_queue'>
/** In place of a version: the key has no object any more. */
export const DELETED = '-'
/** With the rules of its bucket, as JSON. */
export type Replicated = ReplicationRow & { bucket: string; rules: string }

const live = (db: Db) =>
  db
    .selectFrom('replications')
    .innerJoin('buckets', 'buckets.id', 'replications.bucket_id')
    .selectAll('replications')
    .select(['buckets.name as bucket', 'buckets.replication as rules'])
    .where('buckets.deleted_at', 'is', null)
    .where('buckets.replication', 'is not', null)

/** Those of all buckets, in name order. */
export const listReplications = async (db: Db): Promise<Replicated[]> =>
  (await live(db).orderBy('buckets.name').execute()) as Replicated[]

export const findReplication = async (db: Db, bucket: string): Promise<Replicated | undefined> =>
  (await live(db).where('buckets.name', '=', bucket).executeTakeFirst()) as Replicated | undefined

export const findReplicationOf = async (db: Db, bucketId: string): Promise<Replicated | undefined> =>
  (await live(db).where('buckets.id', '=', bucketId).executeTakeFirst()) as Replicated | undefined

/** Locks a bucket against every other change. */
export const lockBucket = (tx: Tx, name: string) =>
  tx
    .selectFrom('buckets')
    .select(['id', 'name', 'mode', 'replication'])
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()

export async function putReplication(tx: Tx, row: NewRow<'replications'>, rules: string): Promise<void> {
  const { bucket_id, ...change } = row
  await tx
    .insertInto('replications')
    .values(row)
    .onConflict((conflict) => conflict.column('bucket_id').doUpdateSet(change))
    .execute()
  await tx.updateTable('buckets').set({ replication: rules }).where('id', '=', bucket_id).execute()
}

export async function deleteReplication(tx: Tx, bucketId: string): Promise<void> {
  await tx.updateTable('buckets').set({ replication: null }).where('id', '=', bucketId).execute()
  await tx.deleteFrom('replications').where('bucket_id', '=', bucketId).execute()
}

export const updateReplication = (tx: Tx, bucketId: string, change: RowChange<'replications'>) =>
  tx.updateTable('replications').set(change).where('bucket_id', '=', bucketId).execute()

/**
 * Locks how a bucket is replicated for whoever takes rows of its queue; undefined while another does. Changes of its objects
 * go on: they need the row to stay, not as it is.
 */
export const lockForClaim = (tx: Tx, bucketId: string): Promise<ReplicationRow | undefined> =>
  tx
    .selectFrom('replications')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()

// The literal of a partial index, which SQLite would not use for a parameter.
const waiting = (row: string) => sql<SqlBool>`${sql.ref(`${row}.reason`)} is null`

/**
 * Takes the next changes of a bucket, the oldest first. Of a key there is one at a time in work, and the one before has to be
 * done, or to have failed.
 */
export async function claimQueued(
  tx: Tx,
  { bucketId, now, until, token, limit }: { bucketId: string; now: Date; until: Date; token: string; limit: number },
): Promise<QueueRow[]> {
  const at = now.toISOString()
  const due = await tx
    .selectFrom('replication_queue as q')
    .select(['q.key', 'q.version_id'])
    .where('q.bucket_id', '=', bucketId)
    .where(waiting('q'))
    .where((e) => e.or([e('q.next_at', 'is', null), e('q.next_at', '<=', at)]))
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('replication_queue as o')
            .select('o.key')
            .whereRef('o.bucket_id', '=', 'q.bucket_id')
            .whereRef('o.key', '=', 'q.key')
            .where((o) =>
              o.or([
                o('o.leased_until', '>', at),
                o.and([
                  waiting('o'),
                  o('o.moment', '<', o.ref('q.moment')),
                  o('o.version_id', '<>', o.ref('q.version_id')),
                ]),
              ]),
            ),
        ),
      ),
    )
    .orderBy('q.moment')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  // Of one moment there may be two of a key.
  const ofKey = new Map(due.map((row) => [row.key, row]))
  const claimed: QueueRow[] = []
  for (const { key, version_id } of ofKey.values())
    claimed.push(
      await tx
        .updateTable('replication_queue')
        .set({ token, leased_until: until.toISOString() })
        .where('bucket_id', '=', bucketId)
        .where('key', '=', key)
        .where('version_id', '=', version_id)
        .returningAll()
        .executeTakeFirstOrThrow(),
    )
  return claimed
}

type Claimed = Pick<QueueRow, 'bucket_id' | 'key' | 'version_id' | 'moment'>

/** Renews what is left of a claim; returns how many rows that are. */
export const renewQueued = async (tx: Tx, token: string, until: Date): Promise<number> =>
  Number(
    (
      await tx
        .updateTable('replication_queue')
        .set({ leased_until: until.toISOString() })
        .where('token', '=', token)
        .executeTakeFirst()
    ).numUpdatedRows,
  )

const claimed = (tx: Tx, { bucket_id, key, version_id }: Claimed, token: string) =>
  tx
    .updateTable('replication_queue')
    .where('bucket_id', '=', bucket_id)
    .where('key', '=', key)
    .where('version_id', '=', version_id)
    .where('token', '=', token)

/** The replica has what a row says. One that was queued again meanwhile stays, and is due at once. */
export async function finishQueued(tx: Tx, row: Claimed, token: string): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('replication_queue')
    .where('bucket_id', '=', row.bucket_id)
    .where('key', '=', row.key)
    .where('version_id', '=', row.version_id)
    .where('token', '=', token)
    .where('moment', '=', row.moment)
    .executeTakeFirst()
  if (Number(numDeletedRows) === 0) await claimed(tx, row, token).set({ token: null, leased_until: null }).execute()
}

/** Gives a row back that could not be replicated; what came of it counts unless it was queued again meanwhile. */
export async function giveBackQueued(
  tx: Tx,
  row: Claimed,
  token: string,
  outcome: Pick<QueueRow, 'attempts' | 'next_at' | 'reason'>,
): Promise<void> {
  await claimed(tx, row, token).set(outcome).where('moment', '=', row.moment).execute()
  await claimed(tx, row, token).set({ token: null, leased_until: null }).execute()
}

/** Has everything that has failed tried again. */
export const retryFailed = (tx: Tx, bucketId: string) =>
  tx
    .updateTable('replication_queue')
    .set({ reason: null, attempts: 0, next_at: null })
    .where('bucket_id', '=', bucketId)
    .where('reason', 'is not', null)
    .execute()

/** Has everything that waits for its next attempt tried at once. */
export const hurryQueued = (tx: Tx, bucketId: string) =>
  tx
    .updateTable('replication_queue')
    .set({ next_at: null })
    .where('bucket_id', '=', bucketId)
    .where('next_at', 'is not', null)
    .execute()

/**
 * Queues the next objects after a key that were there before a moment, also those that are queued; returns the last one's key,
 * undefined after the last.
 */
export async function queueExisting(
  tx: Tx,
  {
    bucketId,
    after,
    before,
    limit,
    since,
  }: { bucketId: string; after: string; before: number; limit: number; since: number },
): Promise<string | undefined> {
  const found = await tx
    .selectFrom('objects')
    .select(['key', 'version_id', 'moment', 'size'])
    .where('bucket_id', '=', bucketId)
    .where('key', '>', after)
    .orderBy('key')
    .limit(limit)
    .execute()
  const former = found.filter(({ moment }) => moment < before)
  const rows = former.map(({ key, version_id, moment, size }) => ({
    bucket_id: bucketId,
    key,
    version_id: version_id ?? '',
    moment,
    since,
    size,
    attempts: 0,
  }))
  if (rows.length > 0)
    await tx
      .insertInto('replication_queue')
      .values(rows)
      // Whoever has it in work may be writing to another place: it is done again, also where it had failed.
      .onConflict((conflict) =>
        conflict
          .columns(['bucket_id', 'key', 'version_id'])
          .doUpdateSet({ token: null, reason: null, attempts: 0, next_at: null }),
      )
      .execute()
  return found.at(-1)?.key
}
