import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Kysely, SqliteDialect } from 'kysely'
import { Refusal } from '../../base/refusal.ts'
import type { Schema } from '../schema.ts'
import { kyselyDatabase } from './dialect.ts'
import { isThere } from './file.ts'

/** Opens a file for reading without creating or changing a byte; undefined if there is none. Throws a Refusal. */
export function lookIntoSqlite(file: string): Kysely<Schema> | undefined {
  if (!isThere(file)) return undefined
  try {
    const database = openForLook(file)
    // The first read tells whether it is a database at all.
    database.prepare('select count(*) from sqlite_schema').get()
    return new Kysely<Schema>({ dialect: new SqliteDialect({ database: kyselyDatabase(database) }) })
  } catch (error) {
    throw new Refusal(`The database ${file} cannot be opened: ${(error as Error).message}.`, { cause: error })
  }
}

/**
 * Opens a database without leaving a trace: a file without a log is opened as immutable, since SQLite would otherwise
 * create a log and an index beside it. One that has a log is in use, or its process was killed.
 */
export function openForLook(file: string): DatabaseSync {
  const logged = (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (logged) return new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  return openAsItLies(file)
}

/** Opens a database that nobody writes to, without creating a file beside it. */
export function openAsItLies(file: string): DatabaseSync {
  const url = pathToFileURL(path.resolve(file))
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}
