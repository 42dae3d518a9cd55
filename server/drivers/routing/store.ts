import { sql } from 'kysely'
import { prepared } from '../../db/prepare.ts'
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
 * Whether buckets are on a storage or show what is there, deleted ones whose trash is not empty, released ones that are not
 * forgotten yet, or bytes that are not removed yet. `digits`: by which the ids of its blobs are known.
 */
export async function isInUse(
  db: Db,
  id: number,
  digits: string,
): Promise<{ buckets: boolean; soft_deleted: boolean; released: boolean; blobs: boolean }> {
  const { rows } = await sql<{ [what in 'buckets' | 'soft_deleted' | 'released' | 'blobs']: number | boolean }>`
    select exists (select 1 from buckets where storage_id = ${id} and deleted_at is null)
        or exists (select 1 from attachments a join buckets b on b.id = a.bucket_id
          where a.storage_id = ${id} and b.deleted_at is null)
        or exists (select 1 from replications r join buckets b on b.id = r.bucket_id
          where r.storage_id = ${id} and b.deleted_at is null) as buckets,
      exists (select 1 from buckets where storage_id = ${id} and deleted_at is not null
        and mode is distinct from 'read_only') as soft_deleted,
      exists (select 1 from buckets where storage_id = ${id} and deleted_at is not null and mode = 'read_only') as released,
      exists (select 1 from blobs where storage_id = ${id})
        or exists (select 1 from external_removals where storage_id = ${id})
        or exists (select 1 from blob_removals where substr(blob_id, 15, 4) = ${digits}) as blobs`.execute(db)
  const [found] = rows
  return {
    buckets: Boolean(found?.buckets),
    soft_deleted: Boolean(found?.soft_deleted),
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
  // Where the bytes of those are that were taken over.
  const sources = await db
    .selectFrom('attachments')
    .innerJoin('buckets', 'buckets.id', 'attachments.bucket_id')
    .select(['attachments.storage_id', (e) => e.fn.countAll<number>().as('buckets')])
    .where('deleted_at', 'is', null)
    .whereRef('attachments.storage_id', 'is distinct from', 'buckets.storage_id')
    .groupBy('attachments.storage_id')
    .execute()
  const sums = await db
    .selectFrom('buckets')
    .innerJoin('bucket_usage', 'bucket_usage.bucket_id', 'buckets.id')
    .select([
      'storage_id',
      (e) => e.fn.sum<number>(e('bytes', '+', e('trash_bytes', '+', e.ref('history_bytes')))).as('bytes'),
    ])
    .groupBy('storage_id')
    .execute()
  const bytes = new Map(sums.map((row) => [row.storage_id, Number(row.bytes)]))
  const found = new Map(
    [...counts, ...sources].map(({ storage_id }) => [storage_id, { buckets: 0, bytes: bytes.get(storage_id) ?? 0 }]),
  )
  for (const { storage_id, buckets } of [...counts, ...sources]) {
    const sum = found.get(storage_id)
    if (sum) sum.buckets += Number(buckets)
  }
  for (const [id, sum] of bytes) if (!found.has(id)) found.set(id, { buckets: 0, bytes: sum })
  return found
}

/** The modes of buckets whose bytes on others' storages are ours, and are not to change. */
export const FROZEN = ['taken_over', 'releasing'] as const

/** What is known of bytes that others keep. `frozen`: whether their bucket was taken over, so that they are not to change. */
export type ExternalFound = Row<'external_blobs'> & { frozen: boolean }

export async function findExternal(db: Db, id: string): Promise<ExternalFound | undefined> {
  const [row] = await external(db, { id })
  if (!row) return undefined
  const { mode, ...known } = row
  return { ...known, frozen: FROZEN.some((one) => one === mode) }
}
const external = prepared((db: Db, { id }: { id: string }) =>
  db
    .selectFrom('external_blobs')
    .leftJoin('buckets', 'buckets.id', 'external_blobs.bucket_id')
    .selectAll('external_blobs')
    .select('buckets.mode')
    .where('blob_id', '=', id),
)

/** Whether a blob is bytes of a bucket that was taken over, where their storage keeps them. */
export const isFrozen = async (db: Db, id: string): Promise<boolean> => (await findExternal(db, id))?.frozen ?? false

/** Which of these blobs are. */
export const findFrozen = async (db: Db, ids: readonly string[]): Promise<Set<string>> =>
  new Set(
    ids.length === 0
      ? []
      : (
          await db
            .selectFrom('external_blobs')
            .innerJoin('buckets', 'buckets.id', 'external_blobs.bucket_id')
            .select('blob_id')
            .where('blob_id', 'in', ids)
            .where('mode', 'in', FROZEN)
            .execute()
        ).map(({ blob_id }) => blob_id),
  )
