import type { ColumnTypes } from '../types.ts'

/** People, their groups and rights, what they log in with, and the settings. */
export const identity = ({ id, bytewise, text, timestamp, integer }: ColumnTypes): string[] => [
  `create table users (
    id ${id} primary key,
    email ${text} not null,
    email_key ${bytewise} not null unique,
    display_name ${text} not null,
    password_hash ${text},
    idp_issuer ${text},
    idp_subject ${text},
    token_version ${integer} not null,
    disabled_at ${timestamp},
    created_at ${timestamp} not null,
    last_login_at ${timestamp},
    search_key ${text} default '' not null,
    constraint users_identity unique (idp_issuer, idp_subject)
  )`,
  `create table groups (
    id ${id} primary key,
    name ${text} not null,
    name_key ${bytewise} not null unique,
    description ${text} not null,
    builtin ${text} unique,
    global ${text} not null,
    created_at ${timestamp} not null
  )`,
  `create table group_members (
    group_id ${id} not null references groups (id) on delete cascade,
    user_id ${id} not null references users (id) on delete cascade,
    added_at ${timestamp} not null,
    constraint group_members_pkey primary key (group_id, user_id)
  )`,
  'create index group_members_user on group_members (user_id)',
  `create table grants (
    id ${id} primary key,
    group_id ${id} not null references groups (id) on delete cascade,
    bucket_pattern ${text} not null,
    prefix ${text} not null,
    actions ${text} not null
  )`,
  'create index grants_group on grants (group_id)',
  `create table sessions (
    id ${id} primary key,
    user_id ${id} not null references users (id) on delete cascade,
    auth_method ${text} not null,
    ip ${text},
    user_agent ${text},
    created_at ${timestamp} not null,
    expires_at ${timestamp} not null,
    last_used_at ${timestamp} not null,
    revoked_at ${timestamp}
  )`,
  'create index sessions_user on sessions (user_id)',
  'create index sessions_expiry on sessions (expires_at)',
  `create table refresh_tokens (
    jti ${id} primary key,
    session_id ${id} not null references sessions (id) on delete cascade,
    issued_at ${timestamp} not null,
    expires_at ${timestamp} not null,
    consumed_at ${timestamp},
    successor_jti ${id}
  )`,
  'create index refresh_tokens_session on refresh_tokens (session_id)',
  'create index refresh_tokens_expiry on refresh_tokens (expires_at)',
  `create table tokens (
    id ${id} primary key,
    user_id ${id} not null references users (id) on delete cascade,
    name ${text} not null,
    token_prefix ${text} not null,
    token_hash ${bytewise} not null unique,
    previous_hash ${bytewise} unique,
    previous_until ${timestamp},
    created_at ${timestamp} not null,
    created_via ${text} not null,
    created_by_token_id ${id},
    expires_at ${timestamp},
    last_used_at ${timestamp},
    last_used_ip ${text},
    revoked_at ${timestamp},
    notice_days ${integer}
  )`,
  'create index tokens_user on tokens (user_id, id)',
  'create index tokens_creator on tokens (created_by_token_id)',
  'create index tokens_expiry on tokens (expires_at) where expires_at is not null',
  `create table idp_logins (
    state_hash ${bytewise} primary key,
    cookie_hash ${text} not null,
    nonce ${text} not null,
    code_verifier ${text} not null,
    return_to ${text},
    created_at ${timestamp} not null,
    expires_at ${timestamp} not null
  )`,
  'create index idp_logins_expiry on idp_logins (expires_at)',
  `create table handoffs (
    code_hash ${bytewise} primary key,
    session_id ${id} not null references sessions (id) on delete cascade,
    refresh_jti ${id} not null,
    expires_at ${timestamp} not null,
    cookie_hash ${text}
  )`,
  'create index handoffs_session on handoffs (session_id)',
  'create index handoffs_expiry on handoffs (expires_at)',
  `create table login_throttle (
    key ${bytewise} primary key,
    failures ${integer} not null,
    window_started_at ${timestamp} not null,
    blocked_until ${timestamp}
  )`,
  `create table settings (
    id ${integer} primary key,
    overrides ${text} not null,
    setup_hash ${text}
  )`,
  `insert into settings (id, overrides) values (1, '{}')`,
]
