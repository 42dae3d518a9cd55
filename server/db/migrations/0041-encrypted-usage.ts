import { type Kysely, type Migration, sql } from 'kysely'
import type { ColumnTypes } from './types.ts'

/** Tables whose rows say how contents are encrypted. */
const CONTENTS = ['objects', 'versions', 'trash', 'uploads']

/**
 * How much of buckets is encrypted, and an index of what needs a key of a key service. Only adds: the counters are zero, as
 * nothing is encrypted before the migration that comes with this one; the indexes have no rows yet, and take one pass over
 * their tables.
 */
export const encryptedUsage = ({ bigint }: ColumnTypes): Migration => ({
  async up(db: Kysely<never>) {
    for (const column of ['encrypted_bytes', 'encrypted_objects'])
      await sql.raw(`alter table bucket_usage add column ${column} ${bigint} not null default 0`).execute(db)
    for (const table of CONTENTS)
      await sql
        .raw(
          `create index ${table}_by_kms_key on ${table} (encryption)
            where encryption is not null and encryption <> 'AES256' and encryption <> 'SSE-C'`,
        )
        .execute(db)
  },
})
