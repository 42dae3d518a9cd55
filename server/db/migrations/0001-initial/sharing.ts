import type { ColumnTypes } from '../types.ts'

/** Links for people without an account, and who opened them. */
export const sharing = ({ id, bytewise, text, timestamp, integer, bigint }: ColumnTypes): string[] => [
  `create table shares (
    id ${id} primary key,
    token_hash ${bytewise} not null unique,
    kind ${text} not null,
    bucket_id ${id} not null,
    bucket ${bytewise} not null,
    target ${text} not null,
    created_by ${id} not null references users (id) on delete cascade,
    created_at ${timestamp} not null,
    expires_at ${timestamp},
    revoked_at ${timestamp},
    password_hash ${text},
    max_downloads ${bigint},
    downloads ${bigint} not null,
    filename ${text},
    disposition ${text},
    limits ${text} not null,
    received_files ${bigint} not null,
    received_bytes ${bigint} not null
  )`,
  'create index shares_creator on shares (created_by, id)',
  'create index shares_bucket on shares (bucket, id)',
  `create table share_access_counts (
    share_id ${id} not null references shares (id) on delete cascade,
    shard ${integer} not null,
    count ${bigint} not null,
    last_at ${timestamp} not null,
    constraint share_access_counts_pkey primary key (share_id, shard)
  )`,
  `create table share_servings (
    share_id ${id} not null references shares (id) on delete cascade,
    ip ${bytewise} not null,
    blob_id ${id} not null,
    left_bytes ${bigint} not null,
    ends_at ${timestamp} not null,
    constraint share_servings_pkey primary key (share_id, ip, blob_id)
  )`,
  'create index share_servings_end on share_servings (ends_at)',
  `create table share_accesses (
    id ${id} primary key,
    share_id ${id} not null references shares (id) on delete cascade,
    time ${timestamp} not null,
    outcome ${text} not null,
    object_key ${bytewise},
    ip ${text},
    user_agent ${text}
  )`,
  'create index share_accesses_share on share_accesses (share_id, id)',
  'create index share_accesses_time on share_accesses (time)',
]
