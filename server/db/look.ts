import { type Kysely, sql } from 'kysely'
import { databaseFile } from './engine.ts'
import type { Schema } from './schema.ts'
import { lookIntoSqlite } from './sqlite/look.ts'

/**
 * Reads a database before it is opened for work, without creating or changing a byte; `look` gets undefined where there
 * is no SQLite file. Throws a Refusal when the database cannot be opened; `variable` says where its URL was given.
 */
export async function lookInto<T>(
  url: string,
  look: (db: Kysely<Schema> | undefined) => Promise<T>,
  variable = 'DATABASE_URL',
): Promise<T> {
  const file = databaseFile(url)
  const db =
    file === undefined
      ? await (await import('./postgres/look.ts')).lookIntoPostgres(url, variable)
      : lookIntoSqlite(file)
  try {
    return await look(db)
  } finally {
    await db?.destroy()
  }
}

/** Whether the database of this URL is on a server that follows another one, and cannot be changed. */
export const isReplica = (url: string): Promise<boolean> =>
  lookInto(url, async (db) => {
    if (!db || databaseFile(url) !== undefined) return false
    const { rows } = await sql<{ follows: boolean }>`select pg_is_in_recovery() as follows`.execute(db)
    return rows[0]?.follows ?? false
  })
