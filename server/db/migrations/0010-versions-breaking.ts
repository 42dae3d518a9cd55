import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Versions of objects. Only adds nullable columns to large tables, so it takes no longer on them. Breaking because an
 * earlier release would overwrite and delete in a bucket that keeps versions as in any other.
 */
export const versions = ({ engine, id, bytewise, text, bigint, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const sequence =
      engine === 'sqlite' ? 'integer primary key autoincrement' : 'bigint generated always as identity primary key'
    for (const statement of [
      `alter table buckets add column versioning ${text}`,
      `alter table bucket_usage add column version_bytes ${bigint} default 0 not null`,
      `alter table objects add column version_id ${id}`,
      `alter table trash add column version_id ${id}`,
      `alter table job_items add column version_id ${id}`,
      `create table versions (
        seq ${sequence},
        bucket_id ${id} not null references buckets (id),
        key ${bytewise} not null,
        version_id ${id},
        blob_id ${id} references blobs (id),
        size ${bigint} not null,
        etag ${text} not null,
        sha256 ${text},
        checksums ${text},
        content_type ${text} not null,
        headers ${text},
        metadata ${text} not null,
        tags ${text},
        storage_class ${text},
        created_at ${timestamp} not null,
        last_modified ${timestamp} not null,
        created_by ${id},
        noncurrent_at ${timestamp} not null
      )`,
      'create unique index versions_by_key on versions (bucket_id, key, seq desc)',
      'create unique index versions_by_id on versions (bucket_id, key, version_id)',
      'create index versions_blob on versions (blob_id) where blob_id is not null',
    ])
      await sql.raw(statement).execute(db)
  },
})
