import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Small bodies in the database: each blob says whether it is one of them, and `bodies` has the bytes. */
export const inlineBodies = ({ engine, id, integer, binary }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const statements = [
      `alter table blobs add column inline ${integer} default 0 not null`,
      // Finds a blob in the storage, of which there may be few.
      'create index blobs_in_storage on blobs (id) where inline = 0',
      `create table bodies (
        blob_id ${id} primary key references blobs (id) on delete cascade,
        bytes ${binary} not null
      )`,
      // Most bodies are compressed already or not worth the time, and up to a page they stay in the row itself.
      ...(engine === 'postgres'
        ? [
            'alter table bodies alter column bytes set storage external',
            'alter table bodies set (toast_tuple_target = 8160)',
          ]
        : []),
    ]
    for (const text of statements) await sql.raw(text).execute(db)
  },
})
