import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Buckets that show what others keep on an engine. Only adds nullable columns to existing tables. Breaking because an
 * earlier release would look for these objects' bytes among our own, and offer to change them.
 */
export const attached = ({ id, bytewise, text, bigint, integer, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table buckets add column mode ${text}`,
      `alter table storages add column events_hash ${text}`,
      `create table attachments (
        bucket_id ${id} primary key references buckets (id) on delete cascade,
        storage_id ${bigint} not null references storages (id),
        prefix ${bytewise} not null,
        weak ${integer} not null,
        as_of ${timestamp},
        changed_at ${timestamp},
        events_at ${timestamp},
        scanned_at ${timestamp}
      )`,
      'create index attachments_storage on attachments (storage_id)',
      `create table external_blobs (
        blob_id ${id} primary key references blobs (id) on delete cascade,
        key ${bytewise} not null,
        version_id ${text},
        etag ${text},
        size ${bigint} not null,
        storage_class ${text},
        modified_at ${timestamp} not null,
        tags ${text},
        hydrated_at ${timestamp},
        checked_at ${timestamp} not null,
        missing_since ${timestamp},
        absences ${integer} not null,
        absent_in ${id}
      )`,
      'create index external_blobs_absent on external_blobs (absent_in, key) where absent_in is not null',
      `create table scans (
        id ${id} primary key,
        bucket_id ${id} not null references buckets (id) on delete cascade,
        status ${text} not null,
        phase ${text} not null,
        started_by ${text} not null,
        position ${bytewise},
        seen ${bigint} not null,
        added ${bigint} not null,
        changed ${bigint} not null,
        absent ${bigint} not null,
        missing ${bigint} not null,
        removed ${bigint} not null,
        refused ${bigint} not null,
        refused_keys ${text} not null,
        refused_to ${text},
        recorded ${bigint} not null,
        held_reason ${text},
        detail ${text},
        runner ${id},
        leased_until ${timestamp},
        created_at ${timestamp} not null,
        created_by ${id},
        started_at ${timestamp},
        finished_at ${timestamp},
        confirmed_at ${timestamp},
        confirmed_by ${id}
      )`,
      'create index scans_bucket on scans (bucket_id, id)',
      "create index scans_open on scans (id) where status in ('queued', 'running')",
      'create index scans_finished on scans (finished_at) where finished_at is not null',
      `create table scan_hints (
        bucket_id ${id} not null references buckets (id) on delete cascade,
        key ${bytewise} not null,
        hinted_at ${timestamp} not null,
        primary key (bucket_id, key)
      )`,
      'create index scan_hints_at on scan_hints (hinted_at)',
    ])
      await sql.raw(statement).execute(db)
  },
})
