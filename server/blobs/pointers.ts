// Reads what points at blobs: rows of objects, of versions, of the trash, of uploads, and of what objects were at the moments
// of snapshots. Where a row could move from one table to another between two statements, they are read in one.
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { isInSnapshot } from './history/store.ts'

/** A blob that something points at, with what its rows say about it. */
export interface ReferencedBlob {
  blob_id: string
  size: number
  sha256: string | null
  /** Null if its bytes came in parts, or an earlier version stored it. */
  md5: string | null
  etag: string
  where: string
  /** How many bytes the database has of it, as they are stored; null unless it is inline. */
  inline_size: number | null
  encryption: string | null
  /** As its own row has it. */
  envelope: string | null
}

/**
 * Objects, versions, trash and what only snapshots keep, in order of blob, after a given one. Several may point at the same blob. Each table has
 * its own limit because PostgreSQL otherwise sorts all of them for each batch.
 */
export async function listReferencedBlobs(db: Db, after: string, limit: number): Promise<ReferencedBlob[]> {
  const { rows } = await sql<ReferencedBlob>`
    select p.*, (select md5 from blobs where blobs.id = p.blob_id) as md5,
      (select envelope from blobs where blobs.id = p.blob_id) as envelope,
      (select length(bytes) from bodies where bodies.blob_id = p.blob_id) as inline_size from (
      select * from (
        select blob_id, size, sha256, etag, encryption, (select name from buckets b where b.id = o.bucket_id) || '/' || key as "where"
        from objects o where blob_id > ${after} order by blob_id limit ${limit}) o
      union all
      select * from (
        select blob_id, size, sha256, etag, encryption,
          (select name from buckets b where b.id = v.bucket_id) || '/' || key || ' version ' || coalesce(version_id, 'null') as "where"
        from versions v where blob_id > ${after} order by blob_id limit ${limit}) v
      union all
      select * from (
        select blob_id, size, sha256, etag, encryption, 'trash ' || id as "where"
        from trash t where blob_id > ${after} order by blob_id limit ${limit}) t
      union all
      select * from (
        select blob_id, size, sha256, etag, encryption,
          (select name from buckets b where b.id = h.bucket_id) || '/' || key || ' of a snapshot' as "where"
        from history_contents h where blob_id > ${after} order by blob_id limit ${limit}) h
    ) p order by blob_id limit ${limit}`.execute(db)
  return rows.map((row) => ({ ...row, size: Number(row.size) }))
}

/** Whether an object, a version, a trash item or a snapshot points at the blob whose id a column has. */
export function isPointed(column: string) {
  const id = sql.ref(column)
  return sql<SqlBool>`(exists (select 1 from objects o where o.blob_id = ${id})
    or exists (select 1 from versions v where v.blob_id = ${id})
    or exists (select 1 from trash t where t.blob_id = ${id})
    or exists (select 1 from former_objects f join blobs b on b.id = f.blob_id
      where f.blob_id = ${id} and ${isInSnapshot('f')}))`
}

/** Which of these blobs an object, a version, a trash item or a snapshot points at. Very many may point at the same: one is looked for. */
export const findPointed = async (db: Db, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select i.column1 as id from (values ${sql.join([...new Set(ids)].map((id) => sql`(${id})`))}) i
    where ${isPointed('i.column1')}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Blob rows that nothing points at and that are not due for any check. */
export const findForgotten = async (db: Db, limit: number): Promise<string[]> =>
  (
    await sql<{ id: string }>`
      select id from blobs b where check_after is null
        and not exists (select 1 from objects o where o.blob_id = b.id)
        and not exists (select 1 from versions v where v.blob_id = b.id)
        and not exists (select 1 from trash t where t.blob_id = b.id)
        and not exists (select 1 from uploads u where u.blob_id = b.id)
        and not exists (select 1 from history_contents h where h.blob_id = b.id)
      limit ${limit}`.execute(db)
  ).rows.map(({ id }) => id)

/** Whether any object, version or trash item has its bytes in the storage of STORAGE_URL. */
export const pointsAtStorage = async (db: Db): Promise<boolean> =>
  (
    await sql`
      select 1 from blobs b where inline = 0 and storage_id is null and (
        exists (select 1 from objects o where o.blob_id = b.id) or exists (select 1 from trash t where t.blob_id = b.id)
        or exists (select 1 from versions v where v.blob_id = b.id)
        or exists (select 1 from history_contents h where h.blob_id = b.id)
      ) limit 1`.execute(db)
  ).rows.length > 0
