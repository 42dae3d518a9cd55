import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { Refusal } from '../refusal.ts'
import { engineOf, openPool } from './open.ts'
import type { Schema } from './schema.ts'
import { kyselyDatabase } from './sqlite/dialect.ts'
import { isThere, openForLook } from './sqlite/file.ts'

/**
 * Reads in a database before it is opened to be worked on, without making or changing a byte; `look` gets undefined where
 * a SQLite file is not there. Throws a Refusal when the database cannot be opened.
 */
export async function lookInto<T>(url: string, look: (db: Kysely<Schema> | undefined) => Promise<T>): Promise<T> {
  if (engineOf(url) === 'sqlite' && !isThere(url.slice('sqlite:'.length))) return look(undefined)
  const db = engineOf(url) === 'sqlite' ? lookIntoSqlite(url.slice('sqlite:'.length)) : await lookIntoPostgres(url)
  try {
    return await look(db)
  } finally {
    await db.destroy()
  }
}

function lookIntoSqlite(file: string): Kysely<Schema> {
  try {
    const database = openForLook(file)
    // The first statement that reads says whether it is a database at all.
    database.prepare('select count(*) from sqlite_schema').get()
    return new Kysely<Schema>({ dialect: new SqliteDialect({ database: kyselyDatabase(database) }) })
  } catch (error) {
    throw new Refusal(`The database ${file} cannot be opened: ${(error as Error).message}.`, { cause: error })
  }
}

async function lookIntoPostgres(url: string): Promise<Kysely<Schema>> {
  const pool = openPool(url, 1)
  try {
    ;(await pool.connect()).release()
  } catch (error) {
    await pool.end()
    throw new Refusal(`The database of DATABASE_URL cannot be opened: ${saidBy(error)}.`, { cause: error })
  }
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}

/** Of several addresses that were tried, each has its own failure. */
const saidBy = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(saidBy).join('; ') : (error as Error).message
