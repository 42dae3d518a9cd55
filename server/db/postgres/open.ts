import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { sql, type TransactionSettings } from 'kysely'
import type { AllOptions, Database } from '../database.ts'
import { insideTransaction, isInsideTransaction, rootHandleGuard } from '../guard.ts'
import { migrate } from '../migrate.ts'
import { observeDialect } from '../observe.ts'
import type { Tx } from '../schema.ts'
import { openHandle } from '../transaction.ts'
import { refuseBackup } from './backup.ts'
import { openPool, serverDialect } from './dialect.ts'
import { isOutage, isRetryable } from './errors.ts'

/** Opens a database of a server through a pool of connections. */
export async function openPostgres(
  url: string,
  { report, migrated, connections, observer }: AllOptions,
): Promise<Database> {
  // By this a move sees that somebody is using the database: postgres/move-source.ts.
  const pool = openPool(url, connections, { least: 1, name: 'strongroom' })
  // The pool replaces an idle connection that the server ends; without a listener it would end the process.
  pool.on('error', report)
  // The same for one that is lost between two statements of a transaction: its next statement fails.
  pool.on('connect', (client) => void client.on('error', report))
  const dialect = observeDialect(serverDialect(pool, report), observer, isOutage)
  const { handle: writer, transact } = await openHandle(dialect)
  const reader = writer.withPlugin(rootHandleGuard)
  const transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    if (isInsideTransaction()) throw new Error('A transaction was started inside another one')
    for (let attempt = 1; ; attempt++) {
      try {
        return await transact((tx) => insideTransaction(() => work(tx)), BEGINNING)
      } catch (error) {
        if (!isRetryable(error) || attempt === 5) throw error
        const pause = AbortSignal.timeout(randomInt(5, 20 * attempt))
        await once(pause, 'abort')
      }
    }
  }
  return {
    db: reader,
    // The server shows no commit before it is durable.
    settled: () => undefined,
    transaction,
    migrate: () => migrate(writer, 'postgres', report, migrated),
    check: async () => void (await sql`select 1`.execute(reader)),
    pool: () => ({
      most: connections,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    reserve: null,
    shrinkLog: async () => true,
    backup: refuseBackup,
    close: () => writer.destroy(),
  }
}

/**
 * The isolation this service needs, whatever the default of the database or the role: who waited for a lock has to see what
 * was committed meanwhile, or a quota is summed from old rows.
 */
const BEGINNING: TransactionSettings = { isolationLevel: 'read committed', accessMode: 'read write' }
