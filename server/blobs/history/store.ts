// Blobs that only snapshots keep: those of what objects were at the moments of snapshots.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from '../../db/schema.ts'

/** Whether a row of `former_objects` is of the state of its bucket that a snapshot keeps. */
export const isInSnapshot = (alias: string) => {
  const [bucket, moment, ended] = ['bucket_id', 'moment', 'ended'].map((name) => sql.ref(`${alias}.${name}`))
  return sql<SqlBool>`exists (select 1 from snapshots s where s.bucket_id = ${bucket}
    and s.moment >= ${moment} and s.moment < ${ended})`
}

/** Whether a row of `blobs` is of what a snapshot keeps. */
export const isOfSnapshot = sql<SqlBool>`exists (select 1 from former_objects f
  where f.blob_id = blobs.id and ${isInSnapshot('f')})`

/**
 * Of these blobs notes those that nothing has any more but snapshots, each for every bucket with such a snapshot, and counts
 * them there.
 */
export async function noteHistory(tx: Tx, ids: readonly string[]): Promise<void> {
  const { rows } = await sql<{ bucket_id: string; size: number }>`
    insert into history_contents (bucket_id, blob_id, key, version_id, size, etag, sha256, encryption)
    select f.bucket_id, f.blob_id, f.key, f.version_id, f.size, f.etag, f.sha256, f.encryption from former_objects f
    where f.blob_id in (${sql.join(ids)}) and ${isInSnapshot('f')}
      and exists (select 1 from blobs b where b.id = f.blob_id)
      and not exists (select 1 from objects o where o.blob_id = f.blob_id)
      and not exists (select 1 from versions v where v.blob_id = f.blob_id)
      and not exists (select 1 from trash t where t.blob_id = f.blob_id)
    on conflict do nothing returning bucket_id, size`.execute(tx)
  await countAll(tx, rows, 1)
}

/** Which of these blobs nothing of a bucket has any more but snapshots, as far as that is noted. */
export const findAlone = async (db: Db, bucketId: string, ids: readonly string[]): Promise<Set<string>> =>
  ids.length === 0
    ? new Set()
    : new Set(
        (
          await db
            .selectFrom('history_contents')
            .select('blob_id')
            .where('bucket_id', '=', bucketId)
            .where('blob_id', 'in', ids)
            .execute()
        ).map(({ blob_id }) => blob_id),
      )

/**
 * Of these blobs forgets those that something else points at again, and counts them no longer as kept by snapshots alone. Returns
 * how many bytes these were of each bucket.
 */
export async function forgetPointed(tx: Tx, blobs: RawBuilder<unknown>): Promise<Map<string, number>> {
  const { rows } = await sql<{ bucket_id: string; size: number }>`
    delete from history_contents where blob_id in (${blobs}) and (
      exists (select 1 from objects o where o.blob_id = history_contents.blob_id)
      or exists (select 1 from versions v where v.blob_id = history_contents.blob_id)
      or exists (select 1 from trash t where t.blob_id = history_contents.blob_id))
    returning bucket_id, size`.execute(tx)
  return countAll(tx, rows, -1)
}

async function countAll(tx: Tx, rows: readonly { bucket_id: string; size: number }[], sign: 1 | -1) {
  const sums = new Map<string, number>()
  for (const { bucket_id, size } of rows) sums.set(bucket_id, (sums.get(bucket_id) ?? 0) + Number(size))
  for (const [bucket_id, bytes] of sums) await countHistory(tx, { bucket_id, history_bytes: sign * bytes })
  return sums
}
const countHistory = (tx: Tx, row: { bucket_id: string; history_bytes: number }) =>
  tx
    .insertInto('bucket_usage')
    .values({ ...row, shard: 0, bytes: 0, objects: 0, trash_bytes: 0 })
    .onConflict((conflict) =>
      conflict.columns(['bucket_id', 'shard']).doUpdateSet((e) => ({
        history_bytes: e('bucket_usage.history_bytes', '+', e.ref('excluded.history_bytes')),
      })),
    )
    .execute()
