import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

const COUNT = 'begin update instance set revision = revision + 1; end'
/** What of an agent is kept until it changes: not when it was last used. */
const COUNTED =
  'user_id, name, scope, budget, approval, fork, token_hash, access_key_id, secret, expires_at, revoked_at'

/** Credentials of programs that decide by themselves: what they have used of their budgets, and what waits for approval. */
export const agents = ({ engine, id, bytewise, text, timestamp, integer, bigint }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `create table agents (
        id ${id} primary key,
        user_id ${id} not null references users (id) on delete cascade,
        name ${text} not null,
        scope ${text} not null,
        budget ${text} not null,
        approval ${text} not null,
        fork ${bytewise},
        token_prefix ${text} not null,
        token_hash ${bytewise} not null unique,
        access_key_id ${bytewise} not null unique,
        secret ${text} not null,
        created_at ${timestamp} not null,
        expires_at ${timestamp},
        revoked_at ${timestamp},
        last_used_at ${timestamp},
        last_used_ip ${text}
      )`,
      'create index agents_user on agents (user_id, id)',
      `create table agent_uses (
        agent_id ${id} primary key references agents (id) on delete cascade,
        hour_from ${timestamp},
        this_hour ${text} not null,
        in_all ${text} not null
      )`,
      `create table agent_approvals (
        id ${id} primary key,
        agent_id ${id} not null references agents (id) on delete cascade,
        status ${text} not null,
        fingerprint ${bytewise} not null,
        state ${bytewise} not null,
        places ${text} not null,
        reason ${text} not null,
        actions ${text} not null,
        objects ${integer} not null,
        bytes ${bigint} not null,
        requested_at ${timestamp} not null,
        expires_at ${timestamp} not null,
        decided_at ${timestamp},
        decided_by ${id},
        done_at ${timestamp}
      )`,
      'create index agent_approvals_asked on agent_approvals (agent_id, fingerprint)',
      'create index agent_approvals_waiting on agent_approvals (agent_id, status)',
      'create index agent_approvals_expiry on agent_approvals (expires_at)',
      `alter table shares add column agent_id ${id}`,
    ])
      await sql.raw(statement).execute(db)
    if (engine !== 'sqlite') return
    for (const [event, when] of [
      ['insert', 'insert'],
      ['delete', 'delete'],
      ['change', `update of ${COUNTED}`],
    ])
      await sql.raw(`create trigger agents_revised_by_${event} after ${when} on agents ${COUNT}`).execute(db)
  },
})
