import { Kysely } from 'kysely'
import { Refusal } from '../../base/refusal.ts'
import type { Schema } from '../schema.ts'
import { openPool, serverDialect } from './dialect.ts'

/** Opens a database on one connection. Throws a Refusal, which calls the database that of `variable`. */
export async function lookIntoPostgres(url: string, variable: string): Promise<Kysely<Schema>> {
  const pool = openPool(url, 1)
  try {
    ;(await pool.connect()).release()
  } catch (error) {
    await pool.end()
    throw new Refusal(`The database of ${variable} cannot be opened: ${saidBy(error)}.`, { cause: error })
  }
  return new Kysely<Schema>({ dialect: serverDialect(pool, () => undefined) })
}

/** Each of several addresses that were tried failed for its own reason. */
const saidBy = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(saidBy).join('; ') : (error as Error).message
