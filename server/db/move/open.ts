import fs from 'node:fs'
import { type Kysely, SqliteAdapter, sql } from 'kysely'
import { Refusal } from '../../base/refusal.ts'
import { databaseFile } from '../engine.ts'
import { lookInto } from '../look.ts'
import { appliedMigrations, UNFINISHED } from '../migrate.ts'
import type { Schema } from '../schema.ts'
import { openSqliteSource } from '../sqlite/move-source.ts'
import { openSqliteTarget } from '../sqlite/move-target.ts'
import type { Source, Target } from './side.ts'

/** Opens the database that is to be moved. Throws a Refusal while a service is using it. */
export async function openSource(url: string): Promise<Source> {
  const file = databaseFile(url)
  if (file !== undefined) return openSqliteSource(file)
  return (await import('../postgres/move-source.ts')).openPostgresSource(url)
}

/** Gives a database that assertTarget has passed the schema and the mark; what an unfinished move left there goes. */
export async function openTarget(url: string): Promise<Target> {
  const file = databaseFile(url)
  if (file !== undefined) return openSqliteTarget(file)
  return (await import('../postgres/move-target.ts')).openPostgresTarget(url)
}

/**
 * Throws a Refusal unless a move from one URL can fill the database of another: one that is empty, or holds what an
 * unfinished move left. Changes nothing.
 */
export async function assertTarget(from: string, to: string): Promise<void> {
  if (isSame(from, to)) throw new Refusal('--to names the database that is to be moved: give another one.')
  const look = async (db: Kysely<Schema> | undefined): Promise<void> => {
    if (!db) return
    const names = await namesIn(db)
    const own = names.filter((name) => !name.startsWith('kysely_migration'))
    if (own.length === 0 && (await appliedMigrations(db)).length === 0) return
    if (names.includes('kysely_migration') && (await appliedMigrations(db)).includes(UNFINISHED)) return
    throw new Refusal(
      `The database of --to is not empty: it has ${own.length} tables or views, such as ${own[0] ?? names[0]}. Give an empty database.`,
    )
  }
  await lookInto(to, look, '--to')
}

/** The tables and views of a database, but those of extensions. */
async function namesIn(db: Kysely<Schema>): Promise<string[]> {
  const query =
    db.getExecutor().adapter instanceof SqliteAdapter
      ? sql<{ name: string }>`select name from sqlite_schema where type in ('table', 'view')
          and name not like 'sqlite\\_%' escape '\\' order by name`
      : sql<{ name: string }>`select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where c.relkind in ('r', 'p', 'v', 'm', 'f')
            and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
            and not exists (
              select from pg_depend d
              where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
          order by c.relname`
  return (await query.execute(db)).rows.map(({ name }) => name)
}

/** Whether two URLs name one database, as far as they show it. */
function isSame(one: string, other: string): boolean {
  const [file, otherFile] = [databaseFile(one), databaseFile(other)]
  if (file !== undefined && otherFile !== undefined) {
    const [found, otherFound] = [file, otherFile].map((name) => fs.statSync(name, { throwIfNoEntry: false }))
    return !!found && found.ino === otherFound?.ino && found.dev === otherFound.dev
  }
  if (file !== undefined || otherFile !== undefined || !URL.canParse(one) || !URL.canParse(other)) return false
  const placeOf = (url: string) => {
    const { hostname, port, pathname } = new URL(url)
    return `${hostname}:${port || 5432}${pathname}`
  }
  return placeOf(one) === placeOf(other)
}
