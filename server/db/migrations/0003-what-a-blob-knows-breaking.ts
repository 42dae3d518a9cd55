import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * What is of the bytes is in their blob's row, what is of the object in the object's: response headers, tags and storage
 * class. Only adds nullable columns, so it takes no longer on a large table. Breaking because an earlier version, when it
 * overwrites an object, leaves these columns as they are: the new contents would have the headers of the former.
 */
export const whatABlobKnows = ({ id, text, integer, bigint }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    const statements = [
      ...[`size ${bigint}`, `md5 ${text}`, `sha256 ${text}`, `checksums ${text}`].map(
        (column) => `alter table blobs add column ${column}`,
      ),
      `create table blob_parts (
        blob_id ${id} not null references blobs (id) on delete cascade,
        part_number ${integer} not null,
        size ${bigint} not null,
        md5 ${text} not null,
        checksum ${text},
        constraint blob_parts_pkey primary key (blob_id, part_number)
      )`,
      ...['objects', 'trash'].map((table) => `alter table ${table} add column checksums ${text}`),
      ...['objects', 'trash', 'uploads'].flatMap((table) =>
        ['headers', 'tags', 'storage_class'].map((column) => `alter table ${table} add column ${column} ${text}`),
      ),
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
})
