import type { Config } from '../config/config.ts'
import { lookInto } from '../db/look.ts'
import { appliedMigrations } from '../db/migrate.ts'
import { createLog } from '../observe/log.ts'
import { awaitDatabase } from './instance/await-database.ts'
import { assertMayUpgrade } from './instance/join.ts'
import { openDatabaseOf } from './with-system.ts'

/**
 * Applies the migrations that the database lacks, as a start would, and creates the schema in an empty one; the storage is
 * not looked at. Returns the text to print. Throws a Refusal if the key is not that of the database, or if this release
 * cannot work with its schema.
 */
export async function upgradeDatabase(config: Config): Promise<string> {
  const log = createLog(config.logLevel, process.stderr)
  await awaitDatabase(config.databaseUrl, (line) => log.warn(line))
  await assertMayUpgrade(config)
  const names = () => lookInto(config.databaseUrl, async (db) => (db ? await appliedMigrations(db) : []))
  const before = new Set(await names())
  const database = await openDatabaseOf(config, log)
  try {
    await database.migrate()
  } finally {
    await database.close()
  }
  const applied = (await names()).filter((name) => !before.has(name))
  return applied.length === 0
    ? 'The database is up to date.'
    : `Applied ${applied.length} migration(s): ${applied.join(', ')}.`
}
