import type { Kysely } from 'kysely'
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
