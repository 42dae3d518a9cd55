import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** A blob that something points at: with what its rows say of it. */
export interface Pointed {
  blob_id: string
  size: number
  sha256: string | null
  etag: string
  where: string
}

/** Objects and trash in order of their blobs, after one. Several may point at the same. */
export async function listPointed(db: Db, after: string, limit: number): Promise<Pointed[]> {
  const { rows } = await sql<Pointed>`
    select * from (
      select blob_id, size, sha256, etag, (select name from buckets b where b.id = o.bucket_id) || '/' || key as "where"
      from objects o where blob_id > ${after}
      union all
      select blob_id, size, sha256, etag, 'trash ' || id as "where" from trash t where blob_id > ${after}
    ) p order by blob_id limit ${limit}`.execute(db as never)
  return rows.map((row) => ({ ...row, size: Number(row.size) }))
}

/** Which of these blobs an object or an item of the trash points at. */
export const findPointed = async (db: Db, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const objects = await db.selectFrom('objects').select('blob_id').where('blob_id', 'in', ids).execute()
  const trash = await db.selectFrom('trash').select('blob_id').where('blob_id', 'in', ids).execute()
  return new Set([...objects, ...trash].map(({ blob_id }) => blob_id))
}

/** Blob rows nothing points at and nobody will look at again. */
export const findForgotten = async (db: Db, limit: number): Promise<string[]> =>
  (
    await sql<{ id: string }>`
      select id from blobs b where check_after is null
        and not exists (select 1 from objects o where o.blob_id = b.id)
        and not exists (select 1 from trash t where t.blob_id = b.id)
        and not exists (select 1 from uploads u where u.blob_id = b.id)
      limit ${limit}`.execute(db as never)
  ).rows.map(({ id }) => id)

export interface Counted {
  id: string
  name: string
  bytes: number
  objects: number
  trash_bytes: number
  reserved: number
}

/** What the tables hold of each bucket, and what is counted of it. */
export async function compareUsage(db: Db): Promise<{ held: Counted; counted: Counted }[]> {
  const numbers = ['bytes', 'objects', 'trash_bytes', 'reserved'] as const
  const { rows } = await sql<{ [column: string]: string | number }>`
    select b.id, coalesce(b.former_name, b.name) as name,
      coalesce((select sum(size) from objects o where o.bucket_id = b.id), 0) as held_bytes,
      (select count(*) from objects o where o.bucket_id = b.id) as held_objects,
      coalesce((select sum(size) from trash t where t.bucket_id = b.id), 0) as held_trash_bytes,
      coalesce((select sum(reserved) from uploads u where u.bucket_id = b.id), 0) as held_reserved,
      coalesce((select sum(bytes) from bucket_usage s where s.bucket_id = b.id), 0) as counted_bytes,
      coalesce((select sum(objects) from bucket_usage s where s.bucket_id = b.id), 0) as counted_objects,
      coalesce((select sum(trash_bytes) from bucket_usage s where s.bucket_id = b.id), 0) as counted_trash_bytes,
      coalesce((select sum(reserved) from bucket_usage s where s.bucket_id = b.id), 0) as counted_reserved
    from buckets b order by b.name`.execute(db as never)
  const side = (row: { [column: string]: string | number }, kind: 'held' | 'counted'): Counted => ({
    id: String(row.id),
    name: String(row.name),
    ...(Object.fromEntries(numbers.map((name) => [name, Number(row[`${kind}_${name}`])])) as Pick<
      Counted,
      (typeof numbers)[number]
    >),
  })
  return rows.map((row) => ({ held: side(row, 'held'), counted: side(row, 'counted') }))
}

export const findTotal = (db: Db) =>
  db.selectFrom('quotas').selectAll().where('used_bytes', 'is not', null).executeTakeFirst()
