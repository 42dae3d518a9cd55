import { sql } from 'kysely'
import { prepared } from '../../db/prepared.ts'
import type { Db, Row } from '../../db/schema.ts'

export type StorageRow = Row<'storages'>

export const findStorageById = (db: Db, id: number): Promise<StorageRow | undefined> =>
  db.selectFrom('storages').selectAll().where('id', '=', id).executeTakeFirst()

/** The id of this database, which is in the mark of each of its storages. */
export const findInstanceId = async (db: Db): Promise<string> =>
  (await db.selectFrom('instance').select('id').executeTakeFirstOrThrow()).id

export const findStorage = (db: Db, name: string): Promise<StorageRow | undefined> =>
  db.selectFrom('storages').selectAll().where('name', '=', name).executeTakeFirst()

/** All, in name order. */
export const listStorages = (db: Db): Promise<StorageRow[]> =>
  db.selectFrom('storages').selectAll().orderBy('name').execute()

/**
 * Whether buckets are on a storage, deleted ones whose trash is not empty, released ones that are not forgotten yet, or bytes
 * that are not removed yet. `digits`: by which
 * the ids of its blobs are known.
 */
export async function isInUse(
  db: Db,
  id: number,
  digits: string,
): Promise<{ buckets: boolean; buried: boolean; released: boolean; blobs: boolean }> {
  const { rows } = await sql<{ [what in 'buckets' | 'buried' | 'released' | 'blobs']: number | boolean }>`
    select exists (select 1 from buckets where storage_id = ${id} and deleted_at is null) as buckets,
      exists (select 1 from buckets where storage_id = ${id} and deleted_at is not null and mode is null) as buried,
      exists (select 1 from buckets where storage_id = ${id} and deleted_at is not null and mode is not null) as released,
      exists (select 1 from blobs where storage_id = ${id})
        or exists (select 1 from blob_removals where substr(blob_id, 15, 4) = ${digits}) as blobs`.execute(db)
  const [found] = rows
  return {
    buckets: Boolean(found?.buckets),
    buried: Boolean(found?.buried),
    released: Boolean(found?.released),
    blobs: Boolean(found?.blobs),
  }
}

/** How many live buckets each storage has, and the bytes of all its buckets; null is the default storage. */
export async function sumByStorage(db: Db): Promise<Map<number | null, { buckets: number; bytes: number }>> {
  const counts = await db
    .selectFrom('buckets')
    .select(['storage_id', (e) => e.fn.countAll<number>().as('buckets')])
    .where('deleted_at', 'is', null)
    .groupBy('storage_id')
    .execute()
  const sums = await db
    .selectFrom('buckets')
    .innerJoin('bucket_usage', 'bucket_usage.bucket_id', 'buckets.id')
    .select(['storage_id', (e) => e.fn.sum<number>(e('bytes', '+', e.ref('trash_bytes'))).as('bytes')])
    .groupBy('storage_id')
    .execute()
  const bytes = new Map(sums.map((row) => [row.storage_id, Number(row.bytes)]))
  const found = new Map(
    counts.map((row) => [row.storage_id, { buckets: Number(row.buckets), bytes: bytes.get(row.storage_id) ?? 0 }]),
  )
  for (const [id, sum] of bytes) if (!found.has(id)) found.set(id, { buckets: 0, bytes: sum })
  return found
}

export type ExternalRow = Row<'external_blobs'>

/** What is known of bytes that others keep. */
export const findExternal = async (db: Db, id: string): Promise<ExternalRow | undefined> =>
  (await external(db, { id }))[0]
const external = prepared((db: Db, { id }: { id: string }) =>
  db.selectFrom('external_blobs').selectAll().where('blob_id', '=', id),
)
