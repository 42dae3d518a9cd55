import { type Kysely, SqliteAdapter, sql } from 'kysely'
import type { Db } from './schema.ts'

/** Shorter texts have no trigram. */
export const SHORTEST_INDEXED = 3

/** SQLite: a trigram index beside the table, kept by triggers; it holds no copy of the keys. */
export async function addTrigramTable(db: Kysely<never>): Promise<void> {
  for (const text of [
    `create virtual table object_search using fts5(
       key, content='objects', content_rowid='rowid', tokenize='trigram', detail=none, columnsize=0)`,
    `create trigger object_search_insert after insert on objects begin
       insert into object_search(rowid, key) values (new.rowid, new.key); end`,
    `create trigger object_search_delete after delete on objects begin
       insert into object_search(object_search, rowid, key) values ('delete', old.rowid, old.key); end`,
    `create trigger object_search_rename after update of key on objects begin
       insert into object_search(object_search, rowid, key) values ('delete', old.rowid, old.key);
       insert into object_search(rowid, key) values (new.rowid, new.key); end`,
    `insert into object_search(object_search) values ('rebuild')`,
  ])
    await sql.raw(text).execute(db)
}

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

/**
 * Keys that may hold a folded text of at least three characters, in any order; null when there are `most` or more of
 * them in all buckets, where reading the bucket in order finds a page sooner. The caller looks at each key again.
 */
export async function findKeysHolding(db: Db, bucketId: string, text: string, most: number): Promise<string[] | null> {
  const query =
    db.getExecutor().adapter instanceof SqliteAdapter
      ? sql<{ bucket_id: string; key: string }>`
          select o.bucket_id, o.key
          from (select rowid from object_search where object_search match ${trigrams(text)} limit ${most}) s
          join objects o on o.rowid = s.rowid`
      : sql<{ bucket_id: string; key: string }>`
          select bucket_id, key from objects where fold_key(key) like fold_key(${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`})
          limit ${most}`
  const { rows } = await query.execute(db as never)
  return rows.length >= most ? null : rows.flatMap(({ bucket_id, key }) => (bucket_id === bucketId ? [key] : []))
}

/** Every trigram of a text, each in all its spellings as quoted strings of FTS5, all of them asked for. */
function trigrams(text: string): string {
  const points = [...text].map(spellings)
  const all = new Set(
    points
      .slice(2)
      .map((third, i) =>
        (points[i] ?? [])
          .flatMap((a) =>
            (points[i + 1] ?? []).flatMap((b) => third.map((c) => `"${(a + b + c).replaceAll('"', '""')}"`)),
          )
          .join(' OR '),
      ),
  )
  return [...all].map((one) => `(${one})`).join(' AND ')
}

/** FTS5 folds what had two cases in Unicode 6.1; later scripts and letters are in its index as they were written. */
function spellings(letter: string): string[] {
  const upper = letter.toUpperCase()
  return letter < '\u0528' || upper === letter || [...upper].length > 1 ? [letter] : [letter, upper]
}
