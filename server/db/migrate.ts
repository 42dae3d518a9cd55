import { type Kysely, Migrator, sql } from 'kysely'
import { Refusal } from '../refusal.ts'
import { migrationNames, migrations } from './migrations/index.ts'
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
  const { later, lacking } = compareSchema(await appliedMigrations(handle))
  if (later.length > 0) {
    if (lacking.length > 0)
      throw new Refusal(
        `The database has migrations of another release (${later.join(', ')}) and lacks some of this one.`,
      )
    report(new Error(`The database is of a later release (${later.join(', ')}); this one can serve it`))
    return
  }
  const migrator = new Migrator({ db: handle, provider: { getMigrations: async () => known } })
  const { error } = await (last ? migrator.migrateTo(last) : migrator.migrateToLatest())
  if (error) throw error
}

/** How a schema differs from that of this release; throws where this release cannot live with it. */
export function compareSchema(applied: readonly string[]): { later: string[]; lacking: string[] } {
  const known = migrationNames
  const later = applied.filter((name) => !known.includes(name))
  const breaking = later.find((name) => name.endsWith('-breaking'))
  if (breaking) throw new Refusal(`The database is of a later release, which this one cannot serve: ${breaking}.`)
  return { later, lacking: known.filter((name) => !applied.includes(name)) }
}

/** The names of what was applied, also of other releases; none where there is no schema. */
export async function appliedMigrations(handle: Kysely<Schema>): Promise<string[]> {
  const tables = await handle.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(handle)
  return rows.map(({ name }) => name)
}
