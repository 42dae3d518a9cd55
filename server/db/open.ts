import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { ServiceError } from '../../contract/errors.ts'
import { guardAuditOnPostgres, guardAuditOnSqlite } from './audit-guards.ts'
import { insideTransaction, isInsideTransaction, rootHandleGuard, withoutRowLocks } from './guard.ts'
import { migrate } from './migrate.ts'
import type { ColumnTypes } from './migrations/types.ts'
import { type DatabaseObserver, observeDialect, unobserved } from './observed.ts'
import { beginning, Compiler, parsers, retryable } from './postgres/dialect.ts'
import type { Db, Schema, Tx } from './schema.ts'
import { addTrigramIndex, addTrigramTable } from './search.ts'
import { backupSqlite, type Copied, POSTGRES_BACKUP } from './sqlite/backup.ts'
import { startCheckpoints } from './sqlite/checkpoint.ts'
import { kyselyDatabase, ReadingSqliteDialect, WritingSqliteDialect, waitAfterReads } from './sqlite/dialect.ts'
import { newDurability } from './sqlite/durability.ts'
import { isThere, makePrivate } from './sqlite/file.ts'

export interface Database {
  /** Reads of committed state that no power failure takes back; see `answersWait` for who waits for that. */
  db: Db
  /** Until nothing that was read so far can be taken back by a power failure; undefined when nothing can. */
  settled(): Promise<void> | undefined
  /**
   * Runs `work` in one transaction and resolves when it is durable. A deadlock or serialisation failure runs it again
   * (at most 5 times), so `work` awaits nothing but `tx`. Throws at once inside another transaction. With `relaxed` it
   * may resolve before it would survive a power failure itself; what it has read does then, as it does where it rejects.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: { relaxed?: boolean }): Promise<T>
  /** Brings the schema up to date, or as far as the migration named; several processes may do it at once. */
  migrate(last?: string): Promise<void>
  /** Rejects when the database does not answer. */
  check(): Promise<void>
  /** The connections to a server at this moment; null of SQLite. */
  pool(): { most: number; open: number; idle: number; waiting: number } | null
  /** Writes a copy of this moment into a new file while others go on; only of SQLite, else it refuses. */
  backup(file: string): Promise<Copied>
  close(): Promise<void>
}

/** Which engine a DATABASE_URL is of. Several processes may serve from one database on PostgreSQL only. */
export const engineOf = (url: string): 'sqlite' | 'postgres' => (url.startsWith('sqlite:') ? 'sqlite' : 'postgres')

export interface DatabaseOptions {
  /** Hears of what nobody waits for, like an idle connection that the server ended, or a schema that is newer than we. */
  report?: (error: Error) => void
  /** Most connections, where there are any. */
  connections?: number
  /** Hears of everything that is asked. */
  observer?: DatabaseObserver
  /** Whether the caller keeps what it reads to itself until `settled`: then reads do not wait one by one. Default: no. */
  answersWait?: () => boolean
  /** Rejects instead of making a SQLite file that is not there. */
  existing?: boolean
}

/** Opens `sqlite:<path>` or `postgres://…`; throws on any other scheme. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const all = {
    report: (error: Error) => process.emitWarning(error),
    connections: 20,
    observer: unobserved,
    answersWait: () => false,
    existing: false,
    ...options,
  }
  if (engineOf(url) === 'sqlite') return openSqlite(url.slice('sqlite:'.length), all)
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, all)
  throw new Error('DATABASE_URL is neither sqlite:<path> nor postgres://…')
}

// ---- SQLite ----------------------------------------------------------------------------------------------------

async function openSqlite(file: string, options: Required<DatabaseOptions>): Promise<Database> {
  const { report, observer, answersWait, existing } = options
  const folder = path.dirname(path.resolve(file))
  if (!existing) makePrivate(file, report)
  else if (!isThere(file)) throw new Error(`There is no database at ${file}`)
  const open = (readOnly: boolean) => {
    const database = new DatabaseSync(file, { readOnly, timeout: 10_000 })
    if (!readOnly) database.exec('pragma journal_mode = wal; pragma synchronous = normal;')
    database.exec('pragma foreign_keys = on; pragma cache_size = -65536; pragma temp_store = memory;')
    return kyselyDatabase(database)
  }
  const writing = open(false)
  writing.database.exec('pragma wal_autocheckpoint = 0')
  // One transaction at a time: what the one that now commits was asked for.
  let relies = false
  const committed = () => {
    if (relies) durability.committed()
  }
  const writer = new Kysely<Schema>({
    dialect: observeDialect(new WritingSqliteDialect(writing, committed), observer),
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
  const durability = newDurability(async () => {
    if (broken) throw broken
    try {
      await fdatasync(wal)
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages: nothing may be acknowledged any more.
      broken = error as Error
      throw error
    }
  })

  const settle = async (pending: Promise<void>): Promise<void> => {
    const began = performance.now()
    await pending
    observer.synced(began)
  }
  /** What was read may be of a commit that is not durable yet: whoever gives it away waits for that. */
  const settleRead = (): Promise<void> | undefined => {
    const pending = answersWait() ? undefined : durability.pending()
    return pending && settle(pending)
  }
  const reading = open(true)
  const reader = new Kysely<Schema>({
    dialect: waitAfterReads(observeDialect(new ReadingSqliteDialect(reading), observer), settleRead),
    plugins: [withoutRowLocks, rootHandleGuard],
  })
  const checkpoints = startCheckpoints(file, () => {
    if (!writing.database.isTransaction) writing.database.exec('pragma wal_checkpoint(passive)')
  })
  return {
    db: reader,
    async transaction(work, { relaxed = false } = {}) {
      if (isInsideTransaction()) throw new Error('A transaction was begun inside another one')
      const run = writer.transaction().execute(async (tx) => {
        const result = await insideTransaction(() => work(tx))
        relies = !relaxed
        return result
      })
      // What made it fail, a name that is taken say, is told to someone just as well.
      const result = await run.catch(async (error: unknown) => {
        await settleRead()
        throw error
      })
      checkpoints.committed()
      const pending = durability.pending()
      if (relaxed) await settleRead()
      else if (pending) await settle(pending)
      return result
    },
    settled: durability.pending,
    migrate: async (last) => {
      await migrate(writer, sqliteTypes, report, last)
      await durability.sync()
    },
    async check() {
      const failure = broken ?? checkpoints.failure()
      if (failure) throw failure
      await sql`select 1`.execute(reader)
    },
    pool: () => null,
    async backup(target) {
      const copied = await backupSqlite(file, target)
      // Nor may the copy know more than the database after a power failure, whichever process has written it.
      await durability.sync()
      return copied
    },
    async close() {
      await checkpoints.stop()
      await reader.destroy()
      // Kysely closes what it has used.
      if (reading.database.isOpen) reading.database.close()
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

class Postgres extends PostgresDialect {
  override createQueryCompiler(): Compiler {
    return new Compiler()
  }
}

/** A pool of so many connections at most to a server, whose values are read as the schema says. */
export const openPool = (url: string, most: number): pg.Pool =>
  new pg.Pool({
    connectionString: url,
    max: most,
    connectionTimeoutMillis: 10_000,
    types: {
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  })

async function openPostgres(
  url: string,
  { report, connections, observer }: Required<DatabaseOptions>,
): Promise<Database> {
  const pool = openPool(url, connections)
  // The pool replaces an idle connection that the server ends; without a listener it would end the process.
  pool.on('error', report)
  // And one that is lost between two statements of a transaction: the next of them fails.
  pool.on('connect', (client) => void client.on('error', report))
  const dialect = observeDialect(new Postgres({ pool }), observer)
  const writer = new Kysely<Schema>({ dialect })
  const reader = writer.withPlugin(rootHandleGuard)
  const transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    if (isInsideTransaction()) throw new Error('A transaction was begun inside another one')
    for (let attempt = 1; ; attempt++) {
      try {
        return await beginning(writer).execute((tx) => insideTransaction(() => work(tx)))
      } catch (error) {
        if (!retryable(error) || attempt === 5) throw error
        const pause = AbortSignal.timeout(randomInt(5, 20 * attempt))
        await once(pause, 'abort')
      }
    }
  }
  return {
    db: reader,
    // The server shows nothing before it is durable.
    settled: () => undefined,
    transaction,
    async migrate(last) {
      // SQLite has instr; the same name lets one SQL text serve both. The planner inlines it.
      await transaction(async (tx) => {
        await sql`select pg_advisory_xact_lock(7083114251)`.execute(tx)
        await sql`create or replace function instr(haystack text, needle text) returns integer
          language sql immutable parallel safe as 'select strpos($1, $2)'`.execute(tx)
      })
      await migrate(writer, postgresTypes, report, last)
    },
    check: async () => void (await sql`select 1`.execute(reader)),
    pool: () => ({
      most: connections,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    backup: () => Promise.reject(new ServiceError('invalid_request', POSTGRES_BACKUP)),
    close: () => writer.destroy(),
  }
}
