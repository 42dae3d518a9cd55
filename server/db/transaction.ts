import {
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
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
 * failed, is refused.
 */
export async function openHandle(dialect: Dialect, plugins: KyselyPlugin[] = []) {
  const driver = dialect.createDriver()
  await driver.init()
  const compiler = dialect.createQueryCompiler()
  const provider = new DefaultConnectionProvider(driver)
  const executor = new DefaultQueryExecutor(compiler, dialect.createAdapter(), provider, plugins)
  const props = { config: { dialect, plugins }, dialect, driver, executor }

  async function transact<T>(work: (tx: Tx) => Promise<T>, settings: TransactionSettings = {}): Promise<T> {
    const connection = await driver.acquireConnection()
    let ended = false
    const own = executor.withConnectionProvider({
      async provideConnection(consumer) {
        if (ended) throw new Error('A statement came after the end of its transaction')
        return consumer(connection)
      },
    })
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
