import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite'
import { promisify } from 'node:util'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type KyselyPlugin,
  Migrator,
  PostgresDialect,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  sql,
} from 'kysely'
import pg from 'pg'
import { sharedSync } from '../shared-sync.ts'
import { guardAuditOnPostgres, guardAuditOnSqlite } from './audit-guards.ts'
import { startCheckpoints } from './checkpoint.ts'
import { insideTransaction, isInsideTransaction, rootHandleGuard } from './guard.ts'
import { migrations } from './migrations/index.ts'
import type { ColumnTypes } from './migrations/types.ts'
import type { Db, Schema, Tx } from './schema.ts'
import { addTrigramIndex, addTrigramTable } from './search.ts'

export interface Database {
  /** Reads of committed state. */
  db: Db
  /**
   * Runs `work` in one transaction and resolves when it is durable. A deadlock or serialisation failure runs it again
   * (at most 5 times), so `work` awaits nothing but `tx`. Throws at once inside another transaction. With `relaxed` it
   * may resolve before it would survive a power failure.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: { relaxed?: boolean }): Promise<T>
  /** Brings the schema up to date; several processes may do it at once. */
  migrate(): Promise<void>
  /** Rejects when the database does not answer. */
  check(): Promise<void>
  /** Writes a copy of this moment into a new file while others go on; only of SQLite, else it throws. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}

/**
 * Opens `sqlite:<path>` or `postgres://…`; throws on any other scheme. `report` hears of failures that nobody waits for,
 * like an idle connection that the server ended.
 */
export function openDatabase(
  url: string,
  report: (error: Error) => void = (error) => process.emitWarning(error),
): Promise<Database> {
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length))
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, report)
  throw new Error('DATABASE_URL is neither sqlite:<path> nor postgres://…')
}

async function migrate(handle: Kysely<Schema>, types: ColumnTypes): Promise<void> {
  const migrator = new Migrator({ db: handle, provider: { getMigrations: async () => migrations(types) } })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}

// ---- SQLite ----------------------------------------------------------------------------------------------------

/** The part of better-sqlite3 that Kysely uses, over node:sqlite, with the statements kept prepared by their text. */
function kyselyDatabase(database: DatabaseSync) {
  const statements = new Map<string, { all: StatementSync['all']; run: StatementSync['run']; reader: boolean }>()
  const wrap = (statement: StatementSync) => ({
    reader: statement.columns().length > 0,
    all: (parameters: never) => statement.all(...(parameters as never[])),
    run: (parameters: never) => statement.run(...(parameters as never[])),
    iterate: (parameters: never) => statement.iterate(...(parameters as never[])),
  })
  return {
    prepare(text: string) {
      let statement = statements.get(text)
      if (!statement) {
        if (statements.size >= 500) statements.clear()
        statement = wrap(database.prepare(text))
        statements.set(text, statement)
      }
      return statement as never
    },
    close: () => database.close(),
    database,
  }
}

/** Takes the write lock at once: a transaction that begins by reading can then never fail to write. */
class ImmediateSqliteDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}
class ImmediateSqliteDialect extends SqliteDialect {
  readonly #database: ReturnType<typeof kyselyDatabase>
  constructor(database: ReturnType<typeof kyselyDatabase>) {
    super({ database })
    this.#database = database
  }
  override createDriver() {
    return new ImmediateSqliteDriver({ database: this.#database })
  }
  override createAdapter() {
    return new TransactionalSqliteAdapter()
  }
}
/** SQLite can change its schema in a transaction: a migration is whole or not there, and one process at a time runs it. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

/** `begin immediate` already is the lock that `for update` and `for share` ask for. */
const withoutRowLocks: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind !== 'SelectQueryNode' || !('endModifiers' in node)) return node
    return { ...node, endModifiers: undefined }
  },
  transformResult: async ({ result }) => result,
}

async function openSqlite(file: string): Promise<Database> {
  const folder = path.dirname(path.resolve(file))
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const open = (readOnly: boolean) => {
    const database = new DatabaseSync(file, { readOnly, timeout: 10_000 })
    if (!readOnly) database.exec('pragma journal_mode = wal; pragma synchronous = normal;')
    database.exec('pragma foreign_keys = on; pragma cache_size = -65536; pragma temp_store = memory;')
    return kyselyDatabase(database)
  }
  const writing = open(false)
  writing.database.exec('pragma wal_autocheckpoint = 0')
  const writer = new Kysely<Schema>({
    dialect: new ImmediateSqliteDialect(writing),
    plugins: [withoutRowLocks],
  })
  await sql`select count(*) from sqlite_schema`.execute(writer)

  // Opened once, after the first statement has made the file, and kept as long as the connection: SQLite's locks are
  // on other files, so this descriptor drops none of them when it closes.
  const wal = fs.openSync(`${file}-wal`, 'r')
  const folderHandle = fs.openSync(folder, 'r')
  fs.fsyncSync(folderHandle)
  fs.closeSync(folderHandle)
  let broken: Error | undefined
  const fdatasync = promisify(fs.fdatasync)
  const durable = sharedSync(async () => {
    if (broken) throw broken
    try {
      await fdatasync(wal)
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages: nothing may be acknowledged any more.
      broken = error as Error
      throw error
    }
  })

  const reading = open(true)
  const reader = new Kysely<Schema>({
    dialect: new SqliteDialect({ database: reading }),
    plugins: [withoutRowLocks, rootHandleGuard],
  })
  const checkpoints = startCheckpoints(file, () => {
    if (!writing.database.isTransaction) writing.database.exec('pragma wal_checkpoint(passive)')
  })
  return {
    db: reader,
    async transaction(work, { relaxed = false } = {}) {
      if (isInsideTransaction()) throw new Error('A transaction was begun inside another one')
      const result = await writer.transaction().execute((tx) => insideTransaction(() => work(tx)))
      checkpoints.committed()
      if (!relaxed) await durable()
      return result
    },
    migrate: async () => {
      await migrate(writer, sqliteTypes)
      await durable()
    },
    async check() {
      const failure = broken ?? checkpoints.failure()
      if (failure) throw failure
      await sql`select 1`.execute(reader)
    },
    async backup(target) {
      await backup(reading.database, target)
    },
    async close() {
      await checkpoints.stop()
      await reader.destroy()
      await writer.destroy()
      fs.closeSync(wal)
    },
  }
}

const sqliteTypes: ColumnTypes = {
  id: 'text',
  bytewise: 'text',
  text: 'text',
  timestamp: 'text',
  integer: 'integer',
  bigint: 'integer',
  real: 'real',
  addSearchIndex: addTrigramTable,
  guardAudit: guardAuditOnSqlite,
}

// ---- PostgreSQL ------------------------------------------------------------------------------------------------

const bytewiseText = sql`text collate "C"`
const postgresTypes: ColumnTypes = {
  id: bytewiseText,
  bytewise: bytewiseText,
  text: 'text',
  timestamp: 'timestamptz(3)',
  integer: 'integer',
  bigint: 'bigint',
  real: 'double precision',
  addSearchIndex: addTrigramIndex,
  guardAudit: guardAuditOnPostgres,
}

const INT8 = 20
const NUMERIC = 1700
const TIMESTAMPTZ = 1184
const parsers = new Map<number, (text: string) => unknown>([
  [INT8, Number],
  [NUMERIC, Number],
  [TIMESTAMPTZ, (text) => new Date(text).toISOString()],
])

/**
 * SQLSTATE of a transaction that may have failed only because of another one: serialization_failure, deadlock_detected,
 * foreign_key_violation (a reference came or went between our look and our write).
 */
const RETRYABLE = new Set(['40001', '40P01', '23503'])
const retryable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && RETRYABLE.has(String(error.code))

async function openPostgres(url: string, report: (error: Error) => void): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 20,
    connectionTimeoutMillis: 10_000,
    types: {
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  })
  // The pool replaces an idle connection that the server ends; without a listener it would end the process.
  pool.on('error', report)
  const dialect = new PostgresDialect({ pool })
  const writer = new Kysely<Schema>({ dialect })
  const reader = writer.withPlugin(rootHandleGuard)
  const transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    if (isInsideTransaction()) throw new Error('A transaction was begun inside another one')
    for (let attempt = 1; ; attempt++) {
      try {
        return await writer.transaction().execute((tx) => insideTransaction(() => work(tx)))
      } catch (error) {
        if (!retryable(error) || attempt === 5) throw error
        const pause = AbortSignal.timeout(randomInt(5, 20 * attempt))
        await once(pause, 'abort')
      }
    }
  }
  return {
    db: reader,
    transaction,
    async migrate() {
      // SQLite has instr; the same name lets one SQL text serve both. The planner inlines it.
      await transaction(async (tx) => {
        await sql`select pg_advisory_xact_lock(7083114251)`.execute(tx)
        await sql`create or replace function instr(haystack text, needle text) returns integer
          language sql immutable parallel safe as 'select strpos($1, $2)'`.execute(tx)
      })
      await migrate(writer, postgresTypes)
    },
    check: async () => void (await sql`select 1`.execute(reader)),
    backup: () => Promise.reject(new Error('PostgreSQL has tools of its own for this: pg_dump, pg_basebackup')),
    close: () => writer.destroy(),
  }
}
