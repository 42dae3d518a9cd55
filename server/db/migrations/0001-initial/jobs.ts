import type { ColumnTypes } from '../types.ts'

/** Jobs, what they work on and what they moved. */
export const jobs = ({ id, bytewise, text, timestamp, bigint }: ColumnTypes): string[] => [
  `create table jobs (
    id ${id} primary key,
    kind ${text} not null,
    status ${text} not null,
    request ${text} not null,
    selection ${text} not null,
    actor ${text} not null,
    created_by ${id} not null,
    created_by_email ${text},
    listed_to ${bytewise},
    listed_at ${timestamp},
    total ${bigint} not null,
    position ${bigint} not null,
    done ${bigint} not null,
    failed ${bigint} not null,
    errors ${text} not null,
    detail ${text},
    runner ${id},
    leased_until ${timestamp},
    cancel_at ${timestamp},
    created_at ${timestamp} not null,
    started_at ${timestamp},
    finished_at ${timestamp},
    changed ${bigint} default 0 not null
  )`,
  'create index jobs_creator on jobs (created_by, id)',
  'create index jobs_status on jobs (status, id)',
  `create table job_items (
    job_id ${id} not null references jobs (id) on delete cascade,
    position ${bigint} not null,
    key ${bytewise} not null,
    blob_id ${id},
    last_modified ${timestamp},
    constraint job_items_pkey primary key (job_id, position)
  )`,
  `create table job_moves (
    job_id ${id} not null references jobs (id) on delete cascade,
    position ${bigint} not null,
    source_key ${bytewise} not null,
    bucket_id ${id} not null,
    key ${bytewise} not null,
    blob_id ${id} not null,
    trash_id ${id},
    constraint job_moves_pkey primary key (job_id, position)
  )`,
]
