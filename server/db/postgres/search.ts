import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** At most `most` keys, of all buckets, that hold the folded text. */
export const keysHolding = async (db: Db, text: string, most: number) =>
  (
    await sql<{ bucket_id: string; key: string }>`
      select bucket_id, key from objects where fold_key(key) like fold_key(${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`})
      limit ${most}`.execute(db)
  ).rows
