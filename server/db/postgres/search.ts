import { type Kysely, sql } from 'kysely'
import type { Db } from '../schema.ts'

/**
 * PostgreSQL: pg_trgm on the folded key. Its own collation folds only ASCII; from 17 on there is one that folds all. Both
 * small forms of Σ are one letter.
 */
export async function addTrigramIndex(db: Kysely<never>): Promise<void> {
  const { rows } = await sql<{ version: number }>`select current_setting('server_version_num')::int as version`.execute(
    db,
  )
  const collation = (rows[0]?.version ?? 0) >= 170_000 ? 'pg_c_utf8' : 'default'
  for (const text of [
    'create extension if not exists pg_trgm',
    `create or replace function fold_key(key text) returns text language sql immutable parallel safe
       as $$select translate(lower($1 collate "${collation}"), 'ς', 'σ')$$`,
    'create index objects_search on objects using gin (fold_key(key) gin_trgm_ops)',
  ])
    await sql.raw(text).execute(db)
}

/** At most `most` keys, of all buckets, that hold the folded text. */
export const keysHolding = async (db: Db, text: string, most: number) =>
  (
    await sql<{ bucket_id: string; key: string }>`
      select bucket_id, key from objects where fold_key(key) like fold_key(${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`})
      limit ${most}`.execute(db as never)
  ).rows
