import { type Kysely, type Migration, Migrator, sql } from 'kysely'
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
export async function migrate(
  handle: Kysely<Schema>,
  engine: Engine,
  report: (error: Error) => void,
  applied: (name: string) => void = () => undefined,
): Promise<void> {
  const before = await appliedMigrations(handle)
  const { later, lacking } = compareSchema(before)
  if (later.length > 0) {
    if (lacking.length > 0)
      throw new Refusal(
        `The database has migrations of another release (${later.join(', ')}) and lacks some of this release.`,
      )
    report(new Error(`The database belongs to a later release (${later.join(', ')}); this release can still serve it`))
    return
  }
  const made = await apply(handle, engine)
  // A new database has all of them.
  if (before.length > 0) for (const name of made) applied(name)
}

/**
 * Marks a database that a move is filling, as a migration of its name. Each release refuses such a database, also those
 * that cannot move one: to them it is a breaking migration of a later release.
 */
export const UNFINISHED = '9999-unfinished-move-breaking'

/** Gives an empty database the schema and, in the same transaction, that mark. */
export const migrateForMove = async (handle: Kysely<Schema>, engine: Engine): Promise<void> =>
  void (await apply(handle, engine, { [UNFINISHED]: { up: async () => undefined } }))

/** Returns the names of those that were lacking. */
async function apply(
  handle: Kysely<Schema>,
  engine: Engine,
  more: { [name: string]: Migration } = {},
): Promise<string[]> {
  const known = Object.entries(migrations).map(([name, make]) => [name, make(columnTypes[engine])])
  const provider = { getMigrations: async () => ({ ...Object.fromEntries(known), ...more }) }
  const { error, results = [] } = await new Migrator({ db: handle, provider }).migrateToLatest()
  if (error) throw error
  return results.flatMap(({ status, migrationName }) => (status === 'Success' ? migrationName : []))
}

/** How a schema differs from that of this release; throws a Refusal where this release cannot serve it. */
export function compareSchema(applied: readonly string[]): { later: string[]; lacking: string[] } {
  if (applied.includes(UNFINISHED))
    throw new Refusal(
      'A move into this database was not finished, so it cannot be used. Run strongroom move-database again, or use the database that was to be moved: it is unchanged.',
    )
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
