import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from 'kysely'
import { noteOutage } from './outage.ts'

/** Hears of everything the database is asked, in the asynchronous context of who asked. Times as `performance.now()`. */
export interface DatabaseObserver {
  /** A statement ended; `kind` is one of few words, `text` has placeholders and no values. */
  statement(kind: string, text: string, began: number, error?: unknown): void
  /** Someone waited for a connection. */
  waited(began: number, error?: unknown): void
  /** A committed transaction came to be durable. */
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
 * The same dialect, whose connections report. Kysely's own log would add four turns of the microtask queue to each
 * statement, and nothing about waiting for a connection.
 */
export function observeDialect(dialect: Dialect, observer: DatabaseObserver): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver() {
      const driver: Driver = dialect.createDriver()
      const seen = new WeakSet<DatabaseConnection>()
      const acquire = driver.acquireConnection.bind(driver)
      driver.acquireConnection = async () => {
        const began = performance.now()
        let connection: DatabaseConnection
        try {
          connection = await acquire()
        } catch (error) {
          observer.waited(began, error)
          noteOutage(error)
          throw error
        }
        observer.waited(began)
        if (!seen.has(connection)) {
          seen.add(connection)
          observeConnection(connection, observer)
        }
        return connection
      }
      return driver
    },
  }
}

function observeConnection(connection: DatabaseConnection, observer: DatabaseObserver): void {
  const execute = connection.executeQuery.bind(connection)
  connection.executeQuery = (query) => {
    const began = performance.now()
    const failed = (error: unknown) => {
      observer.statement(kindOf(query), query.sql, began, error ?? true)
      noteOutage(error)
    }
    try {
      const result = execute<never>(query)
      result.then(() => observer.statement(kindOf(query), query.sql, began), failed)
      return result
    } catch (error) {
      // SQLite's answers at once.
      failed(error)
      throw error
    }
  }
}
