import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, type TransactionSettings } from 'kysely'
import type pg from 'pg'
import { isPrepared } from '../prepare.ts'
import { isAfterFailure, isForgotten, isStalePlan } from './errors.ts'
import type { SoFar } from './revision.ts'

/**
 * Kysely's driver over a pool, with two differences. A transaction's first statement does not wait for its beginning: both
 * travel together, as do statements of a transaction that its code does not await one by one, or whose answer nobody needs
 * (`Prepared.blind`). And the server keeps the plans of prepared queries, under their names.
 */
export class PooledDriver implements Driver {
  readonly #pool: pg.Pool
  readonly #connections = new WeakMap<pg.PoolClient, Connection>()
  readonly #plans: Plans
  /** `forgotten` is called once, when it turns out that prepared statements do not stay with their connection. */
  constructor(pool: pg.Pool, forgotten: () => void) {
    this.#pool = pool
    this.#plans = { generation: 0, kept: true, forgotten }
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<Connection> {
    const client = await this.#pool.connect()
    let connection = this.#connections.get(client)
    if (!connection) {
      connection = new Connection(client, this.#plans)
      this.#connections.set(client, connection)
    }
    return connection
  }
  async beginTransaction(connection: Connection, settings: TransactionSettings): Promise<void> {
    connection.begin(settings)
  }
  async commitTransaction(connection: Connection): Promise<void> {
    await connection.end('commit')
  }
  async rollbackTransaction(connection: Connection): Promise<void> {
    await connection.end('rollback')
  }
  async releaseConnection(connection: Connection): Promise<void> {
    connection.release()
  }
  destroy(): Promise<void> {
    return this.#pool.end()
  }
}

interface Plans {
  /** Part of the names of prepared statements; another one makes every connection prepare them anew. */
  generation: number
  /** Whether statements are named at all. */
  kept: boolean
  forgotten(): void
}

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** Tables of which nothing is kept: a change of them is none of what a transaction has seen (`db/kept.ts`). */
const UNKEPT = new Set([
  'objects',
  'versions',
  'trash',
  'blobs',
  'bodies',
  'blob_sums',
  'bucket_usage',
  'audit_recent',
  'webhook_deliveries',
])
/** Whether a statement may change something that is kept. */
function mayChangeKept({ query, sql }: CompiledQuery): boolean {
  if (query.kind === 'SelectQueryNode') return false
  if (query.kind === 'RawNode') return !/^(begin|commit|rollback)/.test(sql)
  const table = /^(?:insert into|update|delete from) "(\w+)"/.exec(sql)?.[1]
  return table === undefined || !UNKEPT.has(table)
}

export class Connection implements DatabaseConnection, SoFar {
  readonly #client: pg.PoolClient
  readonly #plans: Plans
  #open = false
  /** The beginning of the open transaction, until it has succeeded. */
  #begun: Promise<unknown> | undefined
  /** Whether a statement waits for that, and those after it with it. */
  #waiting = false
  /** Why the open transaction failed. */
  #failure: unknown
  /** The answers of the open transaction's statements that nobody has waited for. */
  #unawaited: Promise<unknown>[] = []
  #gathering = false
  #sent = 0
  #changes = 0
  constructor(client: pg.PoolClient, plans: Plans) {
    this.#client = client
    this.#plans = plans
  }

  sent(): number {
    return this.#sent
  }
  changes(): number {
    return this.#changes
  }
  /** Sends the beginning; whatever it fails with, the statements after it do. */
  begin({ isolationLevel, accessMode }: TransactionSettings): void {
    const level = isolationLevel ? ` isolation level ${isolationLevel}` : ''
    const begun = this.executeQuery(CompiledQuery.raw(`begin${level}${accessMode ? ` ${accessMode}` : ''}`))
    this.#begun = begun.then(() => {
      this.#begun = undefined
    })
    this.#begun.catch(() => undefined)
    this.#open = true
    this.#waiting = false
    this.#failure = undefined
    this.#unawaited = []
  }
  /** A commit rejects where a statement failed that nobody waited for: the server has taken it for a rollback. */
  async end(how: 'commit' | 'rollback'): Promise<void> {
    // A commit that failed has ended it.
    if (!this.#open) return
    try {
      await this.executeQuery(CompiledQuery.raw(how))
      if (how === 'commit') await Promise.all(this.#unawaited)
    } finally {
      this.#begun = undefined
      this.#open = false
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#sent++
    if (mayChangeKept(query)) this.#changes++
    // Sent together with a beginning that fails, it would run outside any transaction: so this is only done with reads.
    if (this.#begun && (this.#waiting || query.query.kind !== 'SelectQueryNode')) {
      this.#waiting = true
      await this.#begun
    }
    if (this.#open && isPrepared(query) && query.blind) {
      const answer = this.#answer(query)
      answer.catch(() => undefined)
      this.#unawaited.push(answer)
      return { rows: [] }
    }
    return this.#answer<R>(query)
  }
  async #answer<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { generation } = this.#plans
    try {
      return await this.#send<R>(query)
    } catch (error) {
      // A transaction has failed with it, and runs again.
      if (this.#isOfPlan(error, generation) && !this.#open) return await this.#send<R>(query)
      throw this.#reason(error)
    }
  }
  // biome-ignore lint/correctness/useYield: Strongroom streams nothing from its database; Kysely's interface asks for this
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('This driver does not stream rows')
  }
  /** Whether it would not have happened to a statement that is not prepared, or that is prepared anew. */
  #isOfPlan(error: unknown, generation: number): boolean {
    const plans = this.#plans
    // A migration changed a table since the query was prepared.
    const stale = isStalePlan(error)
    if (stale && plans.generation === generation) plans.generation++
    const forgotten = isForgotten(error)
    if (forgotten && plans.kept) {
      plans.kept = false
      plans.forgotten()
    }
    return stale || forgotten
  }
  /** What the open transaction failed with, where an error only says that it has. */
  #reason(error: unknown): unknown {
    if (!this.#open) return error
    if (!isAfterFailure(error)) this.#failure ??= error
    return this.#failure ?? error
  }
  release(): void {
    this.#client.release()
  }

  /** What is sent until the queue of microtasks is empty is written to the socket at once. */
  #gather(): void {
    if (this.#gathering) return
    this.#gathering = true
    const { stream } = this.#client.connection
    stream.cork()
    process.nextTick(() => {
      this.#gathering = false
      stream.uncork()
    })
  }
  async #send<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const config = { text: query.sql, values: query.parameters as unknown[] }
    const name = this.#plans.kept && isPrepared(query) ? `${query.name}.${this.#plans.generation}` : undefined
    this.#gather()
    const sent = this.#client.query<R & pg.QueryResultRow>(name ? { ...config, name } : config)
    if (this.#begun) {
      sent.catch(() => undefined)
      await this.#begun
    }
    const { command, rowCount, rows } = await sent
    return CHANGES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
  }
}
