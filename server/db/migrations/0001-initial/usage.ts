import type { ColumnTypes } from '../types.ts'

/** Numbers over time. They outlive their buckets, so nothing here references one. */
export const usage = ({ id, bytewise, text, timestamp, bigint }: ColumnTypes): string[] => [
  `create table usage_history (
    step ${bytewise} not null,
    bucket_id ${id} not null,
    time ${timestamp} not null,
    used_bytes ${bigint},
    object_count ${bigint},
    uploaded_bytes ${bigint} not null,
    downloaded_bytes ${bigint} not null,
    requests ${bigint} not null,
    constraint usage_history_pkey primary key (step, bucket_id, time)
  )`,
  `create table usage_buckets (
    bucket_id ${id} primary key,
    name ${bytewise} not null,
    types_at ${timestamp},
    types_of ${text},
    types_due ${timestamp}
  )`,
  `create table usage_types (
    bucket_id ${id} not null,
    content_type ${bytewise} not null,
    bytes ${bigint} not null,
    objects ${bigint} not null,
    constraint usage_types_pkey primary key (bucket_id, content_type)
  )`,
  `create table usage_samples (
    time ${timestamp} primary key,
    sampled_to ${id} not null,
    finished_at ${timestamp}
  )`,
]
