import { SqliteAdapter } from 'kysely'
import { keysHolding as keysOnPostgres } from './postgres/search.ts'
import type { Db } from './schema.ts'
import { keysHolding as keysOnSqlite } from './sqlite/search.ts'

/** Shorter texts have no trigram. */
export const SHORTEST_INDEXED = 3

/**
 * Keys that may contain a folded text of at least three characters, in any order; null when there are `most` or more of
 * them in all buckets: reading the bucket in key order then finds a page sooner. The caller checks each key again.
 */
export async function findKeysHolding(db: Db, bucketId: string, text: string, most: number): Promise<string[] | null> {
  const keysHolding = db.getExecutor().adapter instanceof SqliteAdapter ? keysOnSqlite : keysOnPostgres
  const rows = await keysHolding(db, text, most)
  return rows.length >= most ? null : rows.flatMap(({ bucket_id, key }) => (bucket_id === bucketId ? [key] : []))
}
