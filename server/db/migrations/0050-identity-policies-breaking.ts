import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

const RENEW = {
  sqlite: 'update instance set policies = lower(hex(randomblob(16)))',
  postgres: 'update instance set policies = gen_random_uuid()::text',
} as const
const HAS_POLICY = (group: string) =>
  `(exists (select 1 from inline_policies where owner_kind = 'group' and owner_id = ${group})
    or exists (select 1 from attached_policies where owner_kind = 'group' and owner_id = ${group}))`
/** After which changes a caller may be judged by other policies. */
const CHANGES = [
  { table: 'inline_policies', event: 'insert', when: 'true' },
  { table: 'inline_policies', event: 'update', when: 'true' },
  { table: 'inline_policies', event: 'delete', when: 'true' },
  { table: 'attached_policies', event: 'insert', when: 'true' },
  { table: 'attached_policies', event: 'delete', when: 'true' },
  { table: 'managed_policies', event: 'update', when: 'old.default_version <> new.default_version' },
  { table: 'group_members', event: 'insert', when: HAS_POLICY('new.group_id') },
  { table: 'group_members', event: 'delete', when: HAS_POLICY('old.group_id') },
] as const
/** What requests ask about again and again, besides what is watched already; see migration 37. */
const WATCHED = [
  { table: 'inline_policies', on: 'insert' },
  { table: 'inline_policies', on: 'update' },
  { table: 'inline_policies', on: 'delete' },
  { table: 'attached_policies', on: 'insert' },
  { table: 'attached_policies', on: 'delete' },
  { table: 'managed_policies', on: 'update' },
  { table: 'users', on: 'update of path, service_account' },
  { table: 'access_keys', on: 'update of deactivated_at' },
] as const

/**
 * Policies of users and groups, users that only programs are, and access keys that can be turned off. Which policies are in
 * force is known by the token of migration 46, which triggers replace. `owner_kind` and `owner_id` name a user or a group.
 * Breaking: an earlier release does not ask these policies, and takes keys that are turned off.
 */
export const identityPolicies = ({ engine, id, bytewise, text, integer, timestamp }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const run = (statement: string) => sql.raw(statement).execute(db)
    const owner = `owner_kind ${text} not null, owner_id ${id} not null`
    for (const statement of [
      `alter table users add column service_account ${integer} not null default 0`,
      `alter table users add column path ${text} not null default '/'`,
      `alter table groups add column path ${text} not null default '/'`,
      `alter table access_keys add column deactivated_at ${timestamp}`,
      `create table managed_policies (
        id ${id} not null constraint managed_policies_pkey primary key,
        name ${text} not null,
        name_key ${bytewise} not null,
        path ${text} not null,
        description ${text} not null,
        default_version ${integer} not null,
        latest_version ${integer} not null,
        created_at ${timestamp} not null,
        updated_at ${timestamp} not null
      )`,
      'create unique index managed_policies_by_name on managed_policies (name_key)',
      `create table managed_policy_versions (
        policy_id ${id} not null references managed_policies (id) on delete cascade,
        version ${integer} not null,
        document ${text} not null,
        created_at ${timestamp} not null,
        constraint managed_policy_versions_pkey primary key (policy_id, version)
      )`,
      `create table inline_policies (
        ${owner},
        name ${bytewise} not null,
        document ${text} not null,
        updated_at ${timestamp} not null,
        constraint inline_policies_pkey primary key (owner_kind, owner_id, name)
      )`,
      `create table attached_policies (
        ${owner},
        policy ${bytewise} not null,
        attached_at ${timestamp} not null,
        constraint attached_policies_pkey primary key (owner_kind, owner_id, policy)
      )`,
      'create index attached_policies_by_policy on attached_policies (policy, owner_kind, owner_id)',
    ])
      await run(statement)
    if (engine === 'sqlite') {
      for (const { table, event, when } of CHANGES)
        await run(
          `create trigger ${table}_renews_policies_by_${event} after ${event} on ${table} when ${when} begin ${RENEW.sqlite}; end`,
        )
      for (const { table, on } of WATCHED)
        await run(
          `create trigger ${table}_revised_for_iam_by_${on.split(' ')[0]} after ${on} on ${table} begin update instance set revision = revision + 1; end`,
        )
      return
    }
    for (const table of new Set(CHANGES.map((one) => one.table))) {
      const own = CHANGES.filter((one) => one.table === table)
      // Not all of the conditions can be evaluated: a row that is inserted has no old one.
      const branches = own.map(
        ({ event, when }) =>
          `if tg_op = '${event.toUpperCase()}' then if ${when} then ${RENEW.postgres}; end if; end if;`,
      )
      await run(
        `create function renew_policies_of_${table}() returns trigger language plpgsql as $$ begin ${branches.join(' ')} return null; end $$`,
      )
      await run(
        `create trigger ${table}_renews_policies after ${own.map(({ event }) => event).join(' or ')} on ${table} for each row execute function renew_policies_of_${table}()`,
      )
    }
  },
})
