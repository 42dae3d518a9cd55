import { type Kysely, sql } from 'kysely'
import type { Db } from '../schema.ts'

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

/** At most `most` keys, of all buckets, that may hold the folded text. */
export const keysHolding = async (db: Db, text: string, most: number) =>
  (
    await sql<{ bucket_id: string; key: string }>`
      select o.bucket_id, o.key
      from (select rowid from object_search where object_search match ${trigrams(text)} limit ${most}) s
      join objects o on o.rowid = s.rowid`.execute(db as never)
  ).rows

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
