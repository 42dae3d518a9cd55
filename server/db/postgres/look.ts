import { Kysely, sql } from 'kysely'
import { Refusal } from '../../base/refusal.ts'
import type { Schema } from '../schema.ts'
import { openPool, serverDialect } from './dialect.ts'

/** A handle on one connection, which the first query opens; if the server ends it between two queries, the next one fails. */
export function openHandle(url: string): Kysely<Schema> {
  const pool = openPool(url, 1)
  pool.on('error', () => undefined)
  return new Kysely<Schema>({ dialect: serverDialect(pool, () => undefined) })
}

/** Opens a database on one connection. Throws a Refusal, which calls the database that of `variable`. */
export async function lookIntoPostgres(url: string, variable: string): Promise<Kysely<Schema>> {
  const db = openHandle(url)
  try {
    // A query, because `destroy` does nothing before the first one.
    await sql`select 1`.execute(db)
  } catch (error) {
    await db.destroy()
    throw new Refusal(`The database of ${variable} cannot be opened: ${saidBy(error)}.`, { cause: error })
  }
  return db
}

/** Each of several addresses that were tried failed for its own reason. */
const saidBy = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(saidBy).join('; ') : (error as Error).message
