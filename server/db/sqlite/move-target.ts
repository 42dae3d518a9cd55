import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import { Refusal } from '../../base/refusal.ts'
import { migrateForMove, UNFINISHED } from '../migrate.ts'
import type { Target } from '../move/side.ts'
import { listedColumns, quoted, type Table, type Values } from '../move/table.ts'
import type { Schema } from '../schema.ts'
import { kyselyDatabase, TransactionalSqliteAdapter } from './dialect.ts'
import { filesOf, lockFile, makePrivate } from './file.ts'
import { rowsOf, select, sequencesOf, tablesOf } from './move-rows.ts'

/** Pages of the log (of 4 KiB) after which it is copied into the database: 64 MiB. */
const CHECKPOINT_PAGES = 16_384
/** Rows of one transaction, at least. */
const ROWS = 10_000

/**
 * Creates a database that is marked as unfinished, in place of one that is; the caller has found none of another kind. No
 * service can use it until it is closed. Throws a Refusal while another process does.
 */
export async function openSqliteTarget(file: string): Promise<Target> {
  const unlock = lockFile(file)
  try {
    for (const one of filesOf(file)) fs.rmSync(one, { force: true })
    makePrivate(file, (error) => {
      throw error
    })
    const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
    // The log makes it outlive a kill of this process, and a checkpoint syncs what it copies.
    database.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -65536;
      pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    const handle = new Kysely<Schema>({ dialect: new MigratingDialect({ database: kyselyDatabase(database) }) })
    await migrateForMove(handle, 'sqlite')
    return targetOf(database, file, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

class MigratingDialect extends SqliteDialect {
  override createAdapter() {
    return new TransactionalSqliteAdapter()
  }
}

function targetOf(database: DatabaseSync, file: string, unlock: () => void): Target {
  let removed: readonly string[] = []
  const inTransaction = (statements: readonly string[]) => {
    database.exec('begin')
    for (const one of statements) database.exec(one)
    database.exec('commit')
  }
  return {
    tables: async () => tablesOf(database),
    rows: (table) => rowsOf(database, table),
    sequences: async () => sequencesOf(database),
    async clear() {
      const made = select<{ type: string; name: string; sql: string }>(
        database,
        `select type, name, sql from sqlite_schema where type in ('index', 'trigger') and sql is not null order by rowid`,
      )
      removed = made.map(({ sql }) => sql)
      inTransaction([
        ...made.toReversed().map(({ type, name }) => `drop ${type} ${quoted(name)}`),
        ...tablesOf(database).map(({ name }) => `delete from ${quoted(name)}`),
      ])
    },
    write: (table, rows) => write(database, table, rows),
    async setSequences(last) {
      inTransaction(['delete from sqlite_sequence'])
      const set = database.prepare('insert into sqlite_sequence (name, seq) values (?, ?)')
      for (const [name, seq] of last) set.run(name, seq)
    },
    async complete() {
      for (const statement of removed) database.exec(statement)
      const indexed = select<{ name: string }>(
        database,
        "select name from pragma_table_list where schema = 'main' and type = 'virtual'",
      )
      for (const { name } of indexed) {
        database.exec(`insert into ${quoted(name)} (${quoted(name)}) values ('rebuild')`)
        database.exec(`insert into ${quoted(name)} (${quoted(name)}, rank) values ('integrity-check', 1)`)
      }
      const [stray] = select<{ table: string; parent: string }>(database, 'pragma foreign_key_check')
      if (stray)
        throw new Refusal(`A row of ${stray.table} refers to a row of ${stray.parent} that is missing from the source.`)
    },
    async finish() {
      database.exec('pragma synchronous = full; pragma wal_checkpoint(truncate)')
      database.exec(`delete from kysely_migration where name = '${UNFINISHED}'; pragma wal_checkpoint(truncate)`)
      const folder = fs.openSync(path.dirname(path.resolve(file)), 'r')
      fs.fsyncSync(folder)
      fs.closeSync(folder)
    },
    async close() {
      database.close()
      unlock()
    },
  }
}

async function write(database: DatabaseSync, table: Table, batches: AsyncIterable<readonly Values[]>): Promise<void> {
  const insert = database.prepare(
    `insert into ${quoted(table.name)} (${listedColumns(table)}) values (${table.columns.map(() => '?')})`,
  )
  let open = 0
  for await (const rows of batches) {
    if (open === 0) database.exec('begin')
    for (const values of rows) insert.run(...(values as SQLInputValue[]))
    open += rows.length
    if (open < ROWS) continue
    database.exec('commit')
    open = 0
  }
  if (open > 0) database.exec('commit')
}
