import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Storages besides the one of STORAGE_URL. Only adds nullable columns to large tables. Breaking because an earlier release
 * would look for bytes of other storages in that one. The indexes on `blob_id` find what lists a blob that moves.
 */
export const storages = ({ engine, id, bytewise, text, bigint, integer, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const sequence =
      engine === 'sqlite' ? 'integer primary key autoincrement' : 'bigint generated always as identity primary key'
    for (const statement of [
      `create table storages (
        id ${sequence},
        name ${bytewise} not null unique,
        kind ${text} not null,
        endpoint ${text},
        region ${text},
        bucket ${text},
        prefix ${text} not null,
        path_style ${integer},
        folder ${text},
        access_key_id ${text},
        secret ${text},
        marked_at ${timestamp},
        created_at ${timestamp} not null,
        created_by ${id},
        disabled_at ${timestamp}
      )`,
      `alter table buckets add column storage_id ${bigint} references storages (id)`,
      `alter table blobs add column storage_id ${bigint} references storages (id)`,
      'create index blobs_storage on blobs (storage_id) where storage_id is not null',
      'create index job_items_blob on job_items (blob_id) where blob_id is not null',
      'create index job_moves_blob on job_moves (blob_id)',
    ])
      await sql.raw(statement).execute(db)
  },
})
