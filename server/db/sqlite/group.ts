import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises'
import { CompiledQuery, type DatabaseConnection } from 'kysely'
import type { WriteTurn } from '../turn.ts'
import { isBusy } from './errors.ts'

/** How long to wait for a lock that another connection holds. */
export const LOCK_MS = 10_000
/** Most hold it for less than a millisecond, so at first it is asked for at each turn of the event loop. */
const QUICK_TURNS = 100
const LOCK_PAUSE_MS = 5
/** Transactions in one commit; more would only hold the write lock longer. */
const MOST = 100

/** Transactions that become visible by the same commit. */
export interface Group {
  /** Whether someone relies on what it changes to survive a power failure. */
  relies: boolean
  /** Why the last of its transactions failed, if it did. */
  failure: unknown
  /** Resolves when the group is committed. Rejects if it is not: then nothing that its transactions saw is true. */
  readonly ended: Promise<void>
}
interface OpenGroup extends Group {
  readonly connection: DatabaseConnection
  readonly end: ReturnType<typeof Promise.withResolvers<void>>
  transactions: number
  /** Whether its time has come while one of its transactions was running. */
  due: boolean
}

export interface GroupOptions {
  /** Must not wait for locks itself. */
  database: DatabaseSync
  /** The sync in progress, if any. */
  syncing(): Promise<void> | undefined
  /** Called in the turn of each commit that someone relies on, since the next read may see it. */
  committed(): void
  /** Called in the turn of every commit. */
  visible(): void
  /** Where several processes of a service share the database. */
  turn: WriteTurn | undefined
}

/**
 * Commits transactions of one connection together. A commit writes every page that its transactions changed, and those
 * of a busy service change mostly the same ones. So what begins in one turn of the event loop shares a commit, and so
 * does what begins during a sync, since its own sync has to wait for that one anyway. From the second on, each is a
 * savepoint, so that one can fail alone. Of several processes, one has a group open at a time, and commits it once another
 * wants its turn: what that one writes meanwhile shares the next sync.
 */
export class CommitGroups {
  readonly #options: GroupOptions
  #open: OpenGroup | undefined
  #running = false
  #waiting: (() => void)[] = []
  constructor(options: GroupOptions) {
    this.#options = options
    options.turn?.onWanted(() => {
      if (this.#open) this.#finish(this.#open)
    })
  }

  /** The group of the transaction that is running. */
  current(): Group {
    if (!this.#open) throw new Error('No transaction is running')
    return this.#open
  }

  /** Begins a transaction, which must end before the next one begins. */
  async begin(connection: DatabaseConnection): Promise<void> {
    if (this.#open) {
      await execute(connection, 'savepoint member')
      this.#open.transactions++
    } else {
      await this.#lock()
      this.#open = this.#start(connection)
    }
    this.#running = true
  }

  /** Ends the running transaction, which becomes visible with its group. */
  async keep(connection: DatabaseConnection): Promise<void> {
    if (this.#open && this.#open.transactions > 1) await execute(connection, 'release member')
    this.#leave()
  }

  /** Ends the running transaction without its changes. */
  async undo(connection: DatabaseConnection): Promise<void> {
    const open = this.#open
    if (!open) return
    // SQLite itself rolls back everything when the disk is full or fails; another rollback would hide the reason.
    if (!this.#options.database.isTransaction) {
      this.#close(open)
      open.end.reject(open.failure)
    } else if (open.transactions > 1) {
      await execute(connection, 'rollback to member')
      await execute(connection, 'release member')
      this.#leave()
    } else {
      await execute(connection, 'rollback')
      this.#close(open)
      open.end.resolve()
    }
  }

  /** Commits the open group, if there is one and none of its transactions is running. */
  flush(): void {
    if (this.#open && !this.#running) this.#commit(this.#open)
  }

  /** Calls `work` right after the next group has ended, while no other process of the service writes. */
  afterGroup(work: () => void): void {
    this.#waiting.push(work)
  }

  /**
   * Takes the write lock at once, so that a transaction that reads first can always write later. A command beside the
   * service may hold it; if SQLite waited for that, every request of this process would.
   */
  async #lock(): Promise<void> {
    const { turn } = this.#options
    const taking = turn?.take()
    if (taking) await taking
    try {
      await this.#beginImmediate()
    } catch (error) {
      turn?.end()
      throw error
    }
  }

  async #beginImmediate(): Promise<void> {
    const until = performance.now() + LOCK_MS
    for (let turn = 0; ; turn++) {
      try {
        return this.#options.database.exec('begin immediate')
      } catch (error) {
        if (!isBusy(error as Error) || performance.now() > until) throw error
      }
      await (turn < QUICK_TURNS ? nextTurn() : setTimeout(LOCK_PAUSE_MS))
    }
  }

  #start(connection: DatabaseConnection): OpenGroup {
    const end = Promise.withResolvers<void>()
    const group: OpenGroup = {
      relies: false,
      failure: undefined,
      ended: end.promise,
      connection,
      end,
      transactions: 1,
      due: false,
    }
    const finish = () => this.#finish(group)
    setImmediate(() => {
      const { turn, syncing } = this.#options
      const sync = turn?.wanted() ? undefined : syncing()
      if (sync) sync.then(finish, finish)
      else finish()
    })
    return group
  }

  /** Commits a group whose time has come, once none of its transactions is running. */
  #finish(group: OpenGroup): void {
    if (this.#open !== group) return
    if (this.#running) group.due = true
    else this.#commit(group)
  }

  #leave(): void {
    this.#running = false
    if (this.#open && (this.#open.due || this.#open.transactions >= MOST)) this.#commit(this.#open)
  }

  #commit(group: OpenGroup): void {
    const { database, committed, visible } = this.#options
    try {
      void execute(group.connection, 'commit')
      visible()
      if (group.relies) committed()
      group.end.resolve()
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      group.end.reject(error)
    }
    this.#close(group)
  }

  #close(group: OpenGroup): void {
    this.#running = false
    if (this.#open === group) this.#open = undefined
    for (const work of this.#waiting.splice(0)) work()
    this.#options.turn?.end()
  }
}

const execute = (connection: DatabaseConnection, text: string) => connection.executeQuery(CompiledQuery.raw(text))
