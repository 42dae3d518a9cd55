import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/**
 * Checksums of the segments of stored bytes. Only adds nullable columns and a table: what was stored before has none until
 * it is scrubbed, and what an earlier release stores has none either.
 */
export const sumsOfSegments = ({ id, bigint, binary }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table blobs add column sums ${binary}`,
      `alter table upload_parts add column sums ${binary}`,
      `create table blob_sums (
        blob_id ${id} not null references blobs (id) on delete cascade,
        start ${bigint} not null,
        size ${bigint} not null,
        sums ${binary} not null,
        constraint blob_sums_pkey primary key (blob_id, start)
      )`,
    ])
      await sql.raw(statement).execute(db)
  },
})
