import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '../types.ts'

/** What this database is, for the storage and the SECRET_KEY that belong to it. */
export const instance = ({ id, bytewise, timestamp }: ColumnTypes): string[] => [
  `create table instance (
    id ${id} primary key,
    key_fingerprint ${bytewise},
    created_at ${timestamp} not null
  )`,
]

/** Gives the database its id. One process at a time migrates, so replicas that start together get the same. */
export const nameInstance = (db: Kysely<never>) =>
  sql`insert into instance (id, created_at) values (${randomUUID()}, ${new Date().toISOString()})`.execute(db)
