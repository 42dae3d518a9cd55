import {
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  type DialectAdapter,
  Kysely,
  type KyselyPlugin,
  Transaction,
  type TransactionSettings,
} from 'kysely'
import type { Schema, Tx } from './schema.ts'

/**
 * A handle over a dialect, and transactions on it. Unlike Kysely's own, a transaction passes each statement on at once
 * instead of after the one before has returned, so that statements which do not depend on each other travel to a server
 * together. They are executed in the order in which they were passed on. One that comes after the transaction has ended, or
 * failed, is refused. `adapterOf` makes the adapter of a transaction on a connection, if it has one of its own.
 */
export async function openHandle(
  dialect: Dialect,
  plugins: KyselyPlugin[] = [],
  adapterOf?: (connection: DatabaseConnection) => DialectAdapter,
) {
  const driver = dialect.createDriver()
  await driver.init()
  const compiler = dialect.createQueryCompiler()
  const adapter = dialect.createAdapter()
  const executor = new DefaultQueryExecutor(compiler, adapter, new DefaultConnectionProvider(driver), plugins)
  const props = { config: { dialect, plugins }, dialect, driver, executor }

  async function transact<T>(work: (tx: Tx) => Promise<T>, settings: TransactionSettings = {}): Promise<T> {
    const connection = await driver.acquireConnection()
    let ended = false
    const provider: ConnectionProvider = {
      async provideConnection(consumer) {
        if (ended) throw new Error('A statement came after the end of its transaction')
        return consumer(connection)
      },
    }
    const own = new DefaultQueryExecutor(compiler, adapterOf?.(connection) ?? adapter, provider, plugins)
    try {
      await driver.beginTransaction(connection, settings)
      try {
        const result = await work(new Transaction<Schema>({ ...props, executor: own }))
        ended = true
        await driver.commitTransaction(connection)
        return result
      } catch (error) {
        ended = true
        await driver.rollbackTransaction(connection)
        throw error
      }
    } finally {
      await driver.releaseConnection(connection)
    }
  }
  return { handle: new Kysely<Schema>(props), transact }
}
