import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type KyselyPlugin,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import type { Revision, WithRevision } from '../kept.ts'
import { adaptConnections, type DatabaseObserver, observed } from '../observe.ts'
import type { AnswersAtOnce } from '../prepare.ts'
import type { CommitGroups } from './group.ts'

/** What Kysely binds: it passes values on as they came, and node:sqlite throws on any that it cannot store. */
const bound = (parameters: readonly unknown[]) => parameters as SQLInputValue[]

type Row = { [name: string]: unknown }

/**
 * Makes a row of its values. By a function of its own for each statement: only of a literal does V8 know all properties at
 * once. An object to which as many are added one by one it keeps as a hash table, as it does those that node:sqlite makes,
 * which take twice as long to make, to read and to copy.
 */
const rowMaker = (names: readonly string[]) =>
  new Function('values', `return {${names.map((name, i) => `${JSON.stringify(name)}: values[${i}]`)}}`) as (
    values: readonly unknown[],
  ) => Row

/** Rows come as lists of values, and are named here. */
function wrap(statement: StatementSync): SqliteStatement {
  const readNames = () => statement.columns().map(({ name }) => name)
  let names = readNames()
  let make = rowMaker(names)
  statement.setReturnArrays(true)
  const named = (row: unknown) => {
    const values = row as readonly unknown[]
    if (values.length !== names.length) {
      // A newer release has added a column meanwhile, which `*` stands for too.
      names = readNames()
      make = rowMaker(names)
    }
    return make(values)
  }
  return {
    reader: names.length > 0,
    all: (parameters) => statement.all(...bound(parameters)).map(named),
    run: (parameters) => statement.run(...bound(parameters)),
    *iterate(parameters) {
      for (const row of statement.iterate(...bound(parameters))) yield named(row)
    },
  }
}

/** The part of better-sqlite3 that Kysely uses, over node:sqlite. Keeps statements prepared by their text. */
export function kyselyDatabase(database: DatabaseSync) {
  const statements = new Map<string, SqliteStatement>()
  return {
    prepare(text: string) {
      let statement = statements.get(text)
      if (!statement) {
        if (statements.size >= 500) statements.clear()
        statement = wrap(database.prepare(text))
        statements.set(text, statement)
      }
      return statement
    },
    close: () => database.close(),
    database,
  }
}

type OpenSqlite = ReturnType<typeof kyselyDatabase>

class GroupingSqliteDriver extends SqliteDriver {
  readonly #groups: CommitGroups
  constructor(database: OpenSqlite, groups: CommitGroups) {
    super({ database })
    this.#groups = groups
  }
  override beginTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#groups.begin(connection)
  }
  override commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#groups.keep(connection)
  }
  override rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#groups.undo(connection)
  }
}
/** The dialect of the one connection that writes. A transaction that has ended is visible when its group is committed. */
export class WritingSqliteDialect extends SqliteDialect {
  readonly #database: OpenSqlite
  readonly #groups: CommitGroups
  readonly #revision: Revision
  constructor(database: OpenSqlite, groups: CommitGroups, revision: Revision) {
    super({ database })
    this.#database = database
    this.#groups = groups
    this.#revision = revision
  }
  override createDriver() {
    return new GroupingSqliteDriver(this.#database, this.#groups)
  }
  override createAdapter() {
    return new WritingAdapter(this.#revision)
  }
}
/** SQLite can change its schema in a transaction, so a migration is atomic and one process at a time runs it. */
export class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

class WritingAdapter extends TransactionalSqliteAdapter implements WithRevision {
  readonly revision: Revision
  constructor(revision: Revision) {
    super()
    this.revision = revision
  }
}
class ReadingAdapter extends SqliteAdapter implements WithRevision, AnswersAtOnce {
  readonly revision: Revision
  readonly readAtOnce: AnswersAtOnce['readAtOnce']
  constructor(revision: Revision, readAtOnce: AnswersAtOnce['readAtOnce']) {
    super()
    this.revision = revision
    this.readAtOnce = readAtOnce
  }
}

/** A read ends before anyone else gets a turn, so all readers share the connection without waiting. */
class SharedSqliteDriver extends SqliteDriver {
  #connection: Promise<DatabaseConnection> | undefined
  override acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= super.acquireConnection()
    return this.#connection
  }
  override async releaseConnection(): Promise<void> {}
}
/** The dialect of the connection that only reads. */
export class ReadingSqliteDialect extends SqliteDialect {
  readonly #database: OpenSqlite
  readonly #adapter: ReadingAdapter
  constructor(database: OpenSqlite, revision: Revision, readAtOnce: AnswersAtOnce['readAtOnce']) {
    super({ database })
    this.#database = database
    this.#adapter = new ReadingAdapter(revision, readAtOnce)
  }
  override createDriver() {
    return new SharedSqliteDriver({ database: this.#database })
  }
  override createAdapter() {
    return this.#adapter
  }
}

/** The same dialect, which returns each result only after the promise that `wait` then returns. */
export const waitAfterReads = (dialect: Dialect, wait: () => Promise<void> | undefined): Dialect =>
  adaptConnections(dialect, (connection) => {
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = async <R>(query: CompiledQuery) => {
      const result: QueryResult<R> = await execute(query)
      const waiting = wait()
      if (waiting) await waiting
      return result
    }
  })

/** The same for queries that need no connection of Kysely's; see `AnswersAtOnce`. */
export function readerAtOnce(
  database: OpenSqlite,
  {
    observer,
    isOutage,
    wait,
  }: {
    observer: DatabaseObserver
    isOutage: (error: Error) => boolean
    wait: () => Promise<void> | undefined
  },
): AnswersAtOnce['readAtOnce'] {
  const execute = observed(
    (query: CompiledQuery, values: readonly unknown[]) => database.prepare(query.sql).all(values),
    observer,
    isOutage,
  )
  return <R>(query: CompiledQuery<R>, values: readonly unknown[]) => {
    const rows = execute(query, values) as R[]
    const waiting = wait()
    return waiting ? waiting.then(() => rows) : rows
  }
}

/** `begin immediate` already is the lock that `for update` and `for share` ask for, and SQLite has no such words. */
export const withoutRowLocks: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind !== 'SelectQueryNode' || !('endModifiers' in node)) return node
    return { ...node, endModifiers: undefined }
  },
  transformResult: async ({ result }) => result,
}
