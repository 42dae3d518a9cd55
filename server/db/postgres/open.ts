import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type Kysely, sql, type TransactionSettings } from 'kysely'
import type { AllOptions, Database, TransactionOptions } from '../database.ts'
import { insideTransaction, isInsideTransaction, rootHandleGuard } from '../guard.ts'
import { migrate } from '../migrate.ts'
import { LaterChange, Moments } from '../moments.ts'
import { observeDialect } from '../observe.ts'
import { prepared } from '../prepare.ts'
import type { Db, Schema, Tx } from '../schema.ts'
import { openHandle } from '../transaction.ts'
import { refuseBackup } from './backup.ts'
import { KeepingAdapter, openPool, serverDialect } from './dialect.ts'
import type { Connection } from './driver.ts'
import { isOutage, isRetryable, momentOf } from './errors.ts'
import { revisionOfReaders, revisionOfTransaction } from './revision.ts'

/** Opens a database of a server through a pool of connections. */
export async function openPostgres(
  url: string,
  { report, migrated, connections, observer, arrived }: AllOptions,
): Promise<Database> {
  // By this a move sees that somebody is using the database: postgres/move-source.ts.
  const pool = openPool(url, connections, { least: 1, name: 'strongroom' })
  // The pool replaces an idle connection that the server ends; without a listener it would end the process.
  pool.on('error', report)
  // The same for one that is lost between two statements of a transaction: its next statement fails.
  pool.on('connect', (client) => void client.on('error', report))
  const shared = { committed: Number.NaN }
  const dialect = observeDialect(serverDialect(pool, report, revisionOfReaders(shared, arrived)), observer, isOutage)
  const { handle: writer, transact } = await openHandle(
    dialect,
    [],
    (connection) => new KeepingAdapter(revisionOfTransaction(shared, connection as Connection)),
  )
  const reader = writer.withPlugin(rootHandleGuard)
  const moments = new Moments()
  const transaction = async <T>(work: (tx: Tx) => Promise<T>, { change }: TransactionOptions = {}): Promise<T> => {
    if (isInsideTransaction()) throw new Error('A transaction was started inside another one')
    for (let attempt = 1; ; attempt++) {
      try {
        let drawn: Promise<{ moment: string | null }[]> | undefined
        const result = await transact(
          (tx) =>
            insideTransaction(async () => {
              if (change) tellChange(tx, moments.next(change.now), change.author)
              const done = await work(tx)
              // Travels with the commit.
              drawn = change && askMoment(tx, {})
              drawn?.catch(() => undefined)
              return done
            }),
          BEGINNING,
        )
        const [told] = (await drawn) ?? []
        if (told?.moment) {
          moments.saw(Number(told.moment))
          change?.made?.(Number(told.moment))
        }
        return result
      } catch (error) {
        const later = momentOf(error)
        if (later !== undefined) moments.saw(later)
        const isLater = later !== undefined || error instanceof LaterChange
        if (!isRetryable(error) || attempt === (isLater ? MOST_LATER : 5)) throw error
        const pause = AbortSignal.timeout(randomInt(5, 20 * Math.min(attempt, 5)))
        await once(pause, 'abort')
      }
    }
  }
  return {
    db: reader,
    // The server shows no commit before it is durable.
    settled: () => undefined,
    transaction,
    async settleMoment(moment) {
      await transaction((tx) => raiseFloor(tx, moment))
      await transactionsEnded(reader)
    },
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

/** How often a transaction runs in all that meets objects with later moments than its own: many may want the same keys. */
const MOST_LATER = 20

/** Says what a transaction's changes of objects are noted with. Fails with the transaction, if it does. */
function tellChange(tx: Tx, earliest: number, author: number | null): void {
  const told = tell(tx, { earliest: String(earliest), author: author === null ? '' : String(author) })
  told.catch(() => undefined)
}
const tell = prepared((tx: Tx, { earliest, author }: { earliest: string; author: string }) =>
  tx.selectNoFrom([
    sql`set_config('strongroom.earliest', ${earliest}, true)`.as('earliest'),
    sql`set_config('strongroom.author', ${author}, true)`.as('author'),
  ]),
)

/** Has every moment that is drawn from now on be later than one. A sequence is changed outside of transactions, at once. */
const raiseFloor = (tx: Tx, moment: number) =>
  sql`select setval('strongroom_settled', greatest(last_value, ${moment}::bigint))
    from (select pg_advisory_xact_lock(${SETTLING})) as alone, strongroom_settled`.execute(tx)
/** The lock of those who raise it. */
const SETTLING = 5_847_313

/** How long to wait for a transaction to end, and how often to look, in ms. */
const ENDED_WITHIN_MS = 30_000
const LOOK_MS = 2

/** Until every transaction that has written by now has ended; rejects if one takes too long. */
async function transactionsEnded(db: Db): Promise<void> {
  const now = async () => {
    const { rows } = await sql<{ running: string[]; next: string }>`
      select array(select pg_snapshot_xip(pg_current_snapshot())::text) as running,
        pg_snapshot_xmax(pg_current_snapshot())::text as next`.execute(db as Kysely<Schema>)
    return rows[0]
  }
  const first = await now()
  const before = new Set(first?.running)
  for (const until = performance.now() + ENDED_WITHIN_MS; before.size > 0; ) {
    const running = new Set((await now())?.running)
    for (const one of before) if (!running.has(one)) before.delete(one)
    if (before.size === 0) return
    if (performance.now() > until) throw new Error('A transaction takes too long to end')
    await once(AbortSignal.timeout(LOOK_MS), 'abort')
  }
}

const askMoment = prepared((tx: Tx, _none: object) =>
  tx.selectNoFrom(sql<string | null>`current_setting('strongroom.moment', true)`.as('moment')),
)

/**
 * The isolation this service needs, whatever the default of the database or the role: who waited for a lock has to see what
 * was committed meanwhile, or a quota is summed from old rows.
 */
const BEGINNING: TransactionSettings = { isolationLevel: 'read committed', accessMode: 'read write' }
