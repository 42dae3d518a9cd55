// Blobs that only snapshots keep: those of what objects were at the moments of snapshots.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Tx } from '../../db/schema.ts'

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

/** Of these blobs forgets those that something else points at again, and counts them no longer as kept by snapshots alone. */
export async function forgetPointed(tx: Tx, blobs: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ bucket_id: string; size: number }>`
    delete from history_contents where blob_id in (${blobs}) and (
      exists (select 1 from objects o where o.blob_id = history_contents.blob_id)
      or exists (select 1 from versions v where v.blob_id = history_contents.blob_id)
      or exists (select 1 from trash t where t.blob_id = history_contents.blob_id))
    returning bucket_id, size`.execute(tx)
  await countAll(tx, rows, -1)
}

async function countAll(tx: Tx, rows: readonly { bucket_id: string; size: number }[], sign: 1 | -1): Promise<void> {
  for (const [bucket_id, some = []] of Map.groupBy(rows, (row) => row.bucket_id))
    await countHistory(tx, { bucket_id, history_bytes: sign * some.reduce((sum, { size }) => sum + Number(size), 0) })
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
