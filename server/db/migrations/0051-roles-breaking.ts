import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

const COUNT = 'begin update instance set revision = revision + 1; end'
/**
 * What is kept until it changes, and the columns of it. New credentials change nothing that was found before, and so are not
 * counted: every pod gets some each hour.
 */
const COUNTED: readonly (readonly [table: string, events: readonly string[], columns: string])[] = [
  ['roles', ['insert', 'delete'], 'name, path'],
  [
    'temporary_credentials',
    ['delete'],
    'access_key_id, secret_key_id, kind, role_id, user_id, issuer_key, session_name, subject, source_identity, policy, scope, tags, claims, created_at, expires_at, revoked_at',
  ],
  ['temporary_credential_groups', ['delete'], 'credential_id, group_id'],
]

/**
 * Roles, the identity providers whose tokens open sessions of them, and the credentials of those sessions. Breaking: an
 * earlier release does not know who made what a session of a role made.
 */
export const roles = ({ engine, id, bytewise, text, timestamp, integer }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `create table roles (
        id ${bytewise} primary key,
        name ${text} not null,
        name_key ${bytewise} not null unique,
        path ${bytewise} not null,
        description ${text} not null,
        trust ${text} not null,
        tags ${text} not null,
        max_session_seconds ${integer} not null,
        created_at ${timestamp} not null
      )`,
      `create table oidc_providers (
        issuer_key ${bytewise} primary key,
        issuer ${text} not null,
        audiences ${text} not null,
        thumbprints ${text} not null,
        tags ${text} not null,
        created_at ${timestamp} not null
      )`,
      `create table temporary_credentials (
        id ${id} primary key,
        access_key_id ${bytewise} not null unique,
        secret_key_id ${text} not null,
        kind ${text} not null,
        role_id ${bytewise} references roles (id) on delete cascade,
        user_id ${id} references users (id) on delete cascade,
        issuer_key ${bytewise},
        parent_id ${id} references temporary_credentials (id) on delete cascade,
        session_name ${text} not null,
        subject ${text},
        source_identity ${text},
        policy ${text},
        scope ${text},
        tags ${text} not null,
        claims ${text} not null,
        ip ${text},
        created_at ${timestamp} not null,
        expires_at ${timestamp} not null,
        revoked_at ${timestamp}
      )`,
      'create index temporary_credentials_role on temporary_credentials (role_id, created_at)',
      'create index temporary_credentials_user on temporary_credentials (user_id, created_at)',
      'create index temporary_credentials_parent on temporary_credentials (parent_id)',
      'create index temporary_credentials_issuer on temporary_credentials (issuer_key, created_at)',
      'create index temporary_credentials_expiry on temporary_credentials (expires_at)',
      `create table temporary_credential_groups (
        credential_id ${id} not null references temporary_credentials (id) on delete cascade,
        group_id ${id} not null references groups (id) on delete cascade,
        primary key (credential_id, group_id)
      )`,
      'create index temporary_credential_groups_group on temporary_credential_groups (group_id)',
    ])
      await sql.raw(statement).execute(db)
    if (engine !== 'sqlite') return
    for (const [table, events, columns] of COUNTED)
      for (const [event, when] of [...events.map((one) => [one, one]), ['change', `update of ${columns}`]])
        await sql.raw(`create trigger ${table}_revised_by_${event} after ${when} on ${table} ${COUNT}`).execute(db)
  },
})
