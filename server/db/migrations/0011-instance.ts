import { randomUUID } from 'node:crypto'
import type { Kysely, Migration } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** What this database is, for the storage and the SECRET_KEY that belong to it. */
export const instance = (t: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('instance')
      .addColumn('id', t.id, (c) => c.primaryKey())
      .addColumn('key_fingerprint', t.bytewise)
      .addColumn('created_at', t.timestamp, (c) => c.notNull())
      .execute()
    // Here, where one process at a time is: replicas that start together have the same.
    await (db as unknown as Kysely<{ instance: object }>)
      .insertInto('instance')
      .values({ id: randomUUID(), key_fingerprint: null, created_at: new Date().toISOString() })
      .execute()
  },
})
