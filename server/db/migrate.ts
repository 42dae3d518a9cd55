import { type Kysely, Migrator, sql } from 'kysely'
import { Refusal } from '../base/refusal.ts'
import type { Engine } from './engine.ts'
import { migrations } from './migrations/index.ts'
import { columnTypes } from './migrations/types.ts'
import type { Schema } from './schema.ts'

/**
 * Applies the migrations that are lacking. The schema of a later release is left as it is, so that the release before
 * it still starts during an upgrade and after going back: migrations only add. One that an older release cannot live
 * with has a name that ends in `-breaking`, which compareSchema refuses.
 */
export async function migrate(handle: Kysely<Schema>, engine: Engine, report: (error: Error) => void): Promise<void> {
  const { later, lacking } = compareSchema(await appliedMigrations(handle))
  if (later.length > 0) {
    if (lacking.length > 0)
      throw new Refusal(
        `The database has migrations of another release (${later.join(', ')}) and lacks some of this release.`,
      )
    report(new Error(`The database belongs to a later release (${later.join(', ')}); this release can still serve it`))
    return
  }
  const known = Object.entries(migrations).map(([name, make]) => [name, make(columnTypes[engine])])
  const migrator = new Migrator({ db: handle, provider: { getMigrations: async () => Object.fromEntries(known) } })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}

/** How a schema differs from that of this release; throws a Refusal where this release cannot serve it. */
export function compareSchema(applied: readonly string[]): { later: string[]; lacking: string[] } {
  const known = Object.keys(migrations)
  const later = applied.filter((name) => !known.includes(name))
  const breaking = later.find((name) => name.endsWith('-breaking'))
  if (breaking) throw new Refusal(`The database belongs to a later release and this one cannot serve it: ${breaking}.`)
  if (applied.length > 0 && !applied.includes('0001-initial'))
    throw new Refusal(
      `The database was created by a development version from before the first release (${applied.join(', ')}), which cannot be upgraded. Use an empty database.`,
    )
  return { later, lacking: known.filter((name) => !applied.includes(name)) }
}

/** The names of the migrations that were applied, also of other releases, in order; none where there is no schema. */
export async function appliedMigrations(handle: Kysely<Schema>): Promise<string[]> {
  const tables = await handle.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(handle)
  return rows.map(({ name }) => name)
}
