import { type Kysely, Migrator, sql } from 'kysely'
import { migrations } from './migrations/index.ts'
import type { ColumnTypes } from './migrations/types.ts'
import type { Schema } from './schema.ts'

/**
 * Applies what lacks. A schema of a later release is left as it is, so that during an upgrade, and after going back, the
 * release before it still starts: migrations only add. One that an older release cannot live with has a name that ends in
 * `-breaking`, and is refused here. With a name given it stops after that one: how a database of an older release is made.
 */
export async function migrate(
  handle: Kysely<Schema>,
  types: ColumnTypes,
  report: (error: Error) => void,
  last?: string,
): Promise<void> {
  const known = migrations(types)
  const applied = await appliedMigrations(handle)
  const later = applied.filter((name) => !Object.hasOwn(known, name))
  if (later.length > 0) {
    const breaking = later.find((name) => name.endsWith('-breaking'))
    if (breaking) throw new Error(`The database is of a later release, which this one cannot serve: ${breaking}`)
    if (applied.length - later.length < Object.keys(known).length)
      throw new Error(`The database has migrations of another release (${later.join(', ')}) and lacks some of this one`)
    report(new Error(`The database is of a later release (${later.join(', ')}); this one can serve it`))
    return
  }
  const migrator = new Migrator({ db: handle, provider: { getMigrations: async () => known } })
  const { error } = await (last ? migrator.migrateTo(last) : migrator.migrateToLatest())
  if (error) throw error
}

async function appliedMigrations(handle: Kysely<Schema>): Promise<string[]> {
  const tables = await handle.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(handle)
  return rows.map(({ name }) => name)
}
