import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Attached buckets that were taken over. Only adds tables and nullable columns. Breaking because an earlier release would
 * have such a bucket show what others write there, and forget bytes that are to be removed.
 */
export const takenOver = ({ id, bytewise, text, bigint, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table external_blobs add column bucket_id ${id}`,
      'update external_blobs set bucket_id = (select bucket_id from objects where objects.blob_id = external_blobs.blob_id)',
      'create index external_blobs_bucket on external_blobs (bucket_id, key)',
      `alter table attachments add column taken_over_at ${timestamp}`,
      `alter table attachments add column release_job ${id}`,
      `alter table attachments add column release_storage_id ${bigint}`,
      `alter table attachments add column release_prefix ${bytewise}`,
      `alter table scans add column take_over ${text}`,
      `create table findings (
        bucket_id ${id} not null references buckets (id) on delete cascade,
        key ${bytewise} not null,
        kind ${text} not null,
        size ${bigint},
        etag ${text},
        found_at ${timestamp} not null,
        seen_in ${id},
        primary key (bucket_id, key)
      )`,
      `create table external_removals (
        blob_id ${id} primary key,
        bucket_id ${id} not null,
        storage_id ${bigint} not null references storages (id),
        key ${bytewise} not null,
        version_id ${text},
        etag ${text},
        size ${bigint} not null,
        modified_at ${timestamp} not null,
        queued_at ${timestamp} not null
      )`,
      'create index external_removals_queued on external_removals (queued_at, blob_id)',
      'create index external_removals_bucket on external_removals (bucket_id, key)',
    ])
      await sql.raw(statement).execute(db)
  },
})
