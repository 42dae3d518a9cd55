import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** At most `most` keys, of all buckets, that may hold the folded text. */
export const keysHolding = async (db: Db, text: string, most: number) =>
  (
    await sql<{ bucket_id: string; key: string }>`
      select o.bucket_id, o.key
      from (select rowid from object_search where object_search match ${trigrams(text)} limit ${most}) s
      join objects o on o.rowid = s.rowid`.execute(db)
  ).rows

/** The FTS5 query for all trigrams of a text, each in all its spellings as quoted strings. */
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

/** FTS5 folds letters that had two cases in Unicode 6.1; later ones are indexed as they were written. */
function spellings(letter: string): string[] {
  const upper = letter.toUpperCase()
  return letter < '\u0528' || upper === letter || [...upper].length > 1 ? [letter] : [letter, upper]
}
