import type { ColumnTypes } from '../types.ts'

/** The columns of a record but its id. */
const record = ({ id, bytewise, text, timestamp, integer }: ColumnTypes): string => `
    time ${timestamp} not null,
    action ${bytewise} not null,
    result ${text} not null,
    status_code ${integer},
    error_code ${text},
    actor_user_id ${id},
    actor_email ${text},
    actor_type ${text} not null,
    auth_method ${text},
    token_id ${id},
    session_id ${id},
    actor_ip ${text},
    user_agent ${text},
    request_id ${text},
    method ${text},
    route ${text},
    bucket ${bytewise},
    object_key ${bytewise},
    resource_type ${text},
    resource_id ${text},
    details ${text} not null,
    mac ${bytewise}`

/** Recent and sealed records, the view of all of them, the chain, its checkpoints and keys; indexes for every filter. */
export const audit = (types: ColumnTypes): string[] => {
  const { id, bytewise, text, timestamp, integer, bigint, engine } = types
  // SQLite: without a rowid the table is one tree, so a commit writes one page of it. PostgreSQL: sealing empties the
  // table every second, so its dead rows should be vacuumed before they are many.
  const storedAs =
    engine === 'sqlite'
      ? 'without rowid'
      : 'with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)'
  return [
    `create table audit_sealed (
    id ${id} primary key,${record(types)}
  )`,
    'create index audit_time on audit_sealed (time, id)',
    'create index audit_action on audit_sealed (action, time, id)',
    'create index audit_bucket on audit_sealed (bucket, time, id)',
    'create index audit_actor_user_id on audit_sealed (actor_user_id, time, id)',
    'create index audit_actor_email on audit_sealed (actor_email, time, id)',
    'create index audit_actor_ip on audit_sealed (actor_ip, time, id)',
    'create index audit_auth_method on audit_sealed (auth_method, time, id)',
    'create index audit_object_key on audit_sealed (object_key, time, id)',
    'create index audit_request on audit_sealed (request_id, time, id)',
    'create index audit_token on audit_sealed (token_id, time, id) where token_id is not null',
    `create index audit_result on audit_sealed (result, time, id) where result <> 'success'`,
    `create table audit_recent (
    id ${id},${record(types)},
    primary key (id)
  ) ${storedAs}`,
    'create view audit as select * from audit_sealed union all select * from audit_recent',
    `create table audit_chain (
    seq ${bigint} primary key,
    audit_id ${id} not null unique,
    row_hash ${bytewise} not null,
    chain_hash ${bytewise} not null
  )`,
    `create table audit_head (
    id ${integer} primary key,
    seq ${bigint} not null,
    chain_hash ${bytewise} not null,
    anchor_seq ${bigint} not null,
    anchor_hash ${bytewise} not null,
    checkpoints ${bigint} not null,
    distrusted_seq ${bigint},
    mac ${bytewise}
  )`,
    `create table audit_checkpoints (
    n ${bigint} primary key,
    seq ${bigint} not null,
    chain_hash ${bytewise} not null,
    time ${timestamp} not null,
    prev_checkpoint ${bytewise},
    key_id ${bytewise} not null,
    signature ${bytewise} not null
  )`,
    `create table audit_keys (
    id ${id} primary key,
    sealed ${text} not null,
    created_at ${timestamp} not null
  )`,
    `insert into audit_head (id, seq, chain_hash, anchor_seq, anchor_hash, checkpoints)
   values (1, 0, '${GENESIS}', 0, '${GENESIS}', 0)`,
  ]
}

/** The hash before the first link. */
const GENESIS = '0'.repeat(64)
