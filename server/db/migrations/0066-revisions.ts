import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** How many transactions can count at the same time without waiting for each other. */
const SLOTS = 16

/** What counts on PostgreSQL: the same as what migrations 37, 50, 51 and 55 count on SQLite. */
const WATCHED: readonly (readonly [table: string, events: string, columns?: string])[] = [
  [
    'access_keys',
    'insert or delete',
    'access_key_id, user_id, secret, previous_secret, previous_until, scope, expires_at, revoked_at, deactivated_at',
  ],
  [
    'tokens',
    'insert or delete',
    'user_id, name, token_prefix, token_hash, previous_hash, previous_until, scope, expires_at, revoked_at',
  ],
  ['sessions', 'insert or delete', 'user_id, auth_method, expires_at, revoked_at, second_factor_at'],
  [
    'users',
    'insert or delete',
    'email, display_name, disabled_at, token_version, idp_issuer, idp_subject, path, service_account',
  ],
  ['groups', 'insert or delete', 'name, builtin, global'],
  ['group_members', 'insert or delete', 'group_id, user_id'],
  ['grants', 'insert or delete', 'group_id, bucket_pattern, prefix, actions'],
  ['settings', 'insert or delete', 'overrides'],
  [
    'buckets',
    'insert or delete',
    'name, former_name, trash_days, versioning, object_lock, storage_id, mode, encryption, replication, created_at, created_by, deleted_at',
  ],
  ['bucket_config', 'insert or delete', 'bucket_id, kind, document'],
  ['quotas', 'insert or delete', 'scope, quota_gb'],
  ['webhooks', 'insert or delete', 'events, bucket, prefix, format, disabled_at'],
  ['roles', 'insert or delete', 'name, path'],
  [
    'temporary_credentials',
    'delete',
    'access_key_id, secret_key_id, kind, role_id, user_id, issuer_key, session_name, subject, source_identity, policy, scope, tags, claims, created_at, expires_at, revoked_at',
  ],
  ['temporary_credential_groups', 'delete', 'credential_id, group_id'],
  [
    'agents',
    'insert or delete',
    'user_id, name, scope, budget, approval, fork, token_hash, access_key_id, secret, expires_at, revoked_at',
  ],
  ['inline_policies', 'insert or delete or update'],
  ['attached_policies', 'insert or delete'],
  ['managed_policies', 'update'],
]

/** Another number after each change. Takes a row that no other transaction holds, so that changes wait for each other only where there are more. */
const REVISE = `create function revise() returns trigger language plpgsql as $$
  declare drawn constant bigint := trunc(random() * 281474976710656);
  begin
    update revisions set value = drawn
      where slot = (select slot from revisions order by slot limit 1 for update skip locked);
    if not found then
      update revisions set value = drawn where slot = pg_backend_pid() % ${SLOTS};
    end if;
    return null;
  end $$`

/**
 * What `instance.revision` is on SQLite, as rows of which each transaction changes one: their sum differs after every change
 * that is committed, and nobody waits for one row. They are random, so that nobody takes what only a transaction of its own
 * has changed for what another has committed. SQLite has the table too, and does not use it.
 */
export const revisions = ({ engine, integer, bigint }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const run = (statement: string) => sql.raw(statement).execute(db)
    await run(`create table revisions (slot ${integer} primary key, value ${bigint} not null)`)
    const rows = Array.from({ length: SLOTS }, (_, slot) => `(${slot}, 0)`)
    await run(`insert into revisions (slot, value) values ${rows.join(', ')}`)
    if (engine === 'sqlite') return
    await run(REVISE)
    for (const [table, events, columns] of WATCHED) {
      const all = columns === undefined ? events : `${events} or update of ${columns}`
      await run(`create trigger ${table}_revised after ${all} on ${table} for each statement execute function revise()`)
    }
  },
})
