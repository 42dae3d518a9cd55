import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from 'kysely'
import { noteOutage } from './errors.ts'

/**
 * Is called for everything the database is asked, in the asynchronous context of the caller. Times as
 * `performance.now()`.
 */
export interface DatabaseObserver {
  /** A statement ended. `kind` is one of a few words; `text` has placeholders instead of values. */
  statement(kind: string, text: string, began: number, error?: unknown): void
  /** A caller got a connection, or failed to. */
  waited(began: number, error?: unknown): void
  /** A committed transaction became durable. */
  synced(began: number): void
}
export const unobserved: DatabaseObserver = { statement() {}, waited() {}, synced() {} }

const KINDS: { [node: string]: string } = {
  SelectQueryNode: 'select',
  InsertQueryNode: 'insert',
  UpdateQueryNode: 'update',
  DeleteQueryNode: 'delete',
}
const RAW = /^\s*(begin|commit|rollback)\b/i

function kindOf({ query, sql }: CompiledQuery): string {
  return KINDS[query.kind] ?? RAW.exec(sql)?.[1]?.toLowerCase() ?? 'other'
}

/**
 * The same dialect, with each connection passed to `adapt` once before its first use. `waiting` wraps the wait for one.
 */
export function adaptConnections(
  dialect: Dialect,
  adapt: (connection: DatabaseConnection) => void,
  waiting: (acquire: () => Promise<DatabaseConnection>) => Promise<DatabaseConnection> = (acquire) => acquire(),
): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver() {
      const driver: Driver = dialect.createDriver()
      const seen = new WeakSet<DatabaseConnection>()
      const acquire = driver.acquireConnection.bind(driver)
      driver.acquireConnection = async () => {
        const connection = await waiting(acquire)
        if (!seen.has(connection)) {
          seen.add(connection)
          adapt(connection)
        }
        return connection
      }
      return driver
    },
  }
}

/**
 * The same dialect, whose connections report, and whose errors are noted where `isOutage` says so. Kysely's own log
 * would add four turns of the microtask queue to each statement, and says nothing about waiting for a connection.
 */
export const observeDialect = (
  dialect: Dialect,
  observer: DatabaseObserver,
  isOutage: (error: Error) => boolean,
): Dialect =>
  adaptConnections(
    dialect,
    (connection) => observeConnection(connection, observer, isOutage),
    async (acquire) => {
      const began = performance.now()
      try {
        const connection = await acquire()
        observer.waited(began)
        return connection
      } catch (error) {
        observer.waited(began, error)
        noteOutage(error, isOutage)
        throw error
      }
    },
  )

function observeConnection(
  connection: DatabaseConnection,
  observer: DatabaseObserver,
  isOutage: (error: Error) => boolean,
): void {
  const execute = connection.executeQuery.bind(connection)
  connection.executeQuery = (query) => {
    const began = performance.now()
    const failed = (error: unknown) => {
      observer.statement(kindOf(query), query.sql, began, error ?? true)
      noteOutage(error, isOutage)
    }
    try {
      const result = execute<never>(query)
      result.then(() => observer.statement(kindOf(query), query.sql, began), failed)
      return result
    } catch (error) {
      // SQLite throws synchronously.
      failed(error)
      throw error
    }
  }
}

/** The same call, which executes a query before it returns, reported. */
export function observed<R>(
  execute: (query: CompiledQuery, values: readonly unknown[]) => R,
  observer: DatabaseObserver,
  isOutage: (error: Error) => boolean,
): typeof execute {
  return (query, values) => {
    const began = performance.now()
    try {
      const result = execute(query, values)
      observer.statement(kindOf(query), query.sql, began)
      return result
    } catch (error) {
      observer.statement(kindOf(query), query.sql, began, error ?? true)
      noteOutage(error, isOutage)
      throw error
    }
  }
}
