import fs from 'node:fs'
import path from 'node:path'
import { openDatabase } from '../../server/db/open.ts'
import { createDatabase } from './postgres.ts'

/** Where the tests of a run find databases that have the schema and no rows, for `startServer` to copy. */
export interface Migrated {
  env: { TEST_MIGRATED_SQLITE: string; TEST_MIGRATED_POSTGRES: string }
  drop(): Promise<void>
}

/** Migrates one database of each engine, so that not every service of a test has to: a file in `folder`, and one on a server. */
export async function migrateOnce(folder: string, postgresUrl: string): Promise<Migrated> {
  const postgres = await createDatabase(postgresUrl)
  const file = path.join(folder, 'migrated.db')
  for (const url of [`sqlite:${file}`, postgres.url]) {
    const database = await openDatabase(url)
    await database.migrate()
    await database.close()
  }
  return { env: { TEST_MIGRATED_SQLITE: file, TEST_MIGRATED_POSTGRES: postgres.name }, drop: postgres.drop }
}

const { TEST_MIGRATED_SQLITE, TEST_MIGRATED_POSTGRES } = process.env

/** The name of the migrated database on the PostgreSQL of the tests; undefined outside of `npm test`. */
export const migratedPostgres = TEST_MIGRATED_POSTGRES

/** Puts the migrated file where a database is to be; outside of `npm test` there is none and nothing is done. */
export function copyMigratedSqlite(file: string): void {
  if (TEST_MIGRATED_SQLITE) fs.copyFileSync(TEST_MIGRATED_SQLITE, file)
}
