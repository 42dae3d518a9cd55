import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Clients of the MCP server that registered themselves, and the agents that users made for clients. */
export const oauth = ({ id, bytewise, text, timestamp, integer }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `create table oauth_clients (
        id ${bytewise} primary key,
        name ${text} not null,
        redirect_uris ${text} not null,
        created_at ${timestamp} not null,
        expires_at ${timestamp}
      )`,
      'create index oauth_clients_expiry on oauth_clients (expires_at)',
      `create table oauth_grants (
        agent_id ${id} primary key references agents (id) on delete cascade,
        client_id ${bytewise} not null,
        client_name ${text} not null,
        redirect_uri ${text} not null,
        code_challenge ${bytewise} not null,
        code_hash ${bytewise} not null unique,
        code_expires_at ${timestamp} not null,
        code_used_at ${timestamp},
        access_hash ${bytewise} unique,
        access_expires_at ${timestamp},
        refreshes ${integer} not null,
        refreshed_at ${timestamp},
        refresh_expires_at ${timestamp}
      )`,
      'create index oauth_grants_client on oauth_grants (client_id)',
      'create index oauth_grants_waiting on oauth_grants (code_expires_at) where code_used_at is null',
    ])
      await sql.raw(statement).execute(db)
  },
})
