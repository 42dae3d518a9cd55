import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Engines that list by path segments. An earlier release holds the scans of such a bucket, as it always has. */
export const keyOrder = ({ bytewise, text, integer }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of [
      `alter table attachments add column key_order ${text}`,
      `alter table external_blobs add column sort_key ${bytewise}`,
      'create index external_blobs_sorted on external_blobs (bucket_id, sort_key) where sort_key is not null',
      `alter table scans add column reordered ${integer}`,
    ])
      await sql.raw(statement).execute(db)
  },
})
