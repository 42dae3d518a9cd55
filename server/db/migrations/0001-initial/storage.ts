import type { ColumnTypes } from '../types.ts'

/** Buckets and what counts them, objects, the trash, and the blobs both point at. */
export const storage = ({ id, bytewise, text, timestamp, integer, bigint, real }: ColumnTypes): string[] => [
  `create table buckets (
    id ${id} primary key,
    name ${bytewise} not null unique,
    trash_days ${integer} not null,
    created_at ${timestamp} not null,
    created_by ${id},
    deleted_at ${timestamp},
    former_name ${bytewise}
  )`,
  `create table quotas (
    scope ${id} primary key,
    quota_gb ${real} not null,
    used_bytes ${bigint}
  )`,
  `create table bucket_usage (
    bucket_id ${id} not null references buckets (id) on delete cascade,
    shard ${integer} not null,
    bytes ${bigint} not null,
    objects ${bigint} not null,
    trash_bytes ${bigint} not null,
    reserved ${bigint} default 0 not null,
    constraint bucket_usage_pkey primary key (bucket_id, shard)
  )`,
  `create table blobs (
    id ${id} primary key,
    check_after ${timestamp}
  )`,
  'create index blobs_to_check on blobs (check_after) where check_after is not null',
  `create table blob_removals (
    blob_id ${id} primary key,
    queued_at ${timestamp} not null
  )`,
  `create table objects (
    bucket_id ${id} not null references buckets (id),
    key ${bytewise} not null,
    blob_id ${id} not null references blobs (id),
    size ${bigint} not null,
    etag ${text} not null,
    sha256 ${text},
    content_type ${text} not null,
    metadata ${text} not null,
    created_at ${timestamp} not null,
    last_modified ${timestamp} not null,
    created_by ${id},
    constraint objects_pkey primary key (bucket_id, key)
  )`,
  'create index objects_blob on objects (blob_id)',
  `create table trash (
    id ${id} primary key,
    bucket_id ${id} not null references buckets (id),
    key ${bytewise} not null,
    blob_id ${id} not null references blobs (id),
    size ${bigint} not null,
    etag ${text} not null,
    sha256 ${text},
    content_type ${text} not null,
    metadata ${text} not null,
    created_at ${timestamp} not null,
    last_modified ${timestamp} not null,
    created_by ${id},
    reason ${text} not null,
    deleted_at ${timestamp} not null,
    deleted_by ${id},
    job_id ${id}
  )`,
  'create index trash_latest on trash (bucket_id, deleted_at, id)',
  'create index trash_blob on trash (blob_id)',
  'create index trash_job on trash (job_id, id) where job_id is not null',
  `create table uploads (
    id ${id} primary key,
    bucket_id ${id} not null references buckets (id),
    key ${bytewise} not null,
    blob_id ${id} references blobs (id),
    handle ${text} not null,
    content_type ${text} not null,
    metadata ${text} not null,
    file_size ${bigint},
    part_size ${bigint} not null,
    reserved ${bigint} not null,
    created_at ${timestamp} not null,
    created_by ${id},
    created_with ${id},
    expires_at ${timestamp} not null,
    completed_at ${timestamp},
    result ${text},
    lapsed_at ${timestamp}
  )`,
  'create index uploads_bucket on uploads (bucket_id, id)',
  'create index uploads_blob on uploads (blob_id)',
  'create index uploads_expiry on uploads (expires_at)',
  'create index uploads_by_creator on uploads (created_by)',
  `create table upload_parts (
    upload_id ${id} not null references uploads (id) on delete cascade,
    part_number ${integer} not null,
    size ${bigint} not null,
    etag ${text} not null,
    ref ${text} not null,
    received_at ${timestamp} not null,
    constraint upload_parts_pkey primary key (upload_id, part_number)
  )`,
  `create table incoming (
    id ${id} primary key,
    bucket_id ${id} not null,
    share_id ${id},
    bytes ${bigint} not null,
    expires_at ${timestamp} not null
  )`,
  'create index incoming_by_share on incoming (share_id)',
  'create index incoming_by_expiry on incoming (expires_at)',
]
