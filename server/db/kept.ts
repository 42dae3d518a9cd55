import { perSystem } from '../base/per-system.ts'
import type { Db } from './schema.ts'

/**
 * How a connection sees the number that every change of credentials, rights, settings and buckets makes another one: as the
 * rows that a statement of its own would find, also those that another process has committed.
 */
export interface Revision {
  /** The same object for all connections of a database. */
  shared: {
    /** The newest one that a reader has seen: it is committed. */
    committed: number
  }
  /**
   * Undefined for a database that does not count. `lately`: in a transaction, one that it has seen before will do, unless
   * it has changed something itself.
   */
  now(db: Db, lately: boolean): number | undefined | Promise<number | undefined>
  /** Whether this is the connection of a transaction, which sees what is not committed. */
  writes: boolean
  /** Whether others may write while a transaction runs, so that it has to lock what must stay as it is. */
  locks: boolean
  /** Until what was seen is durable, if the caller has to wait for that; see `DatabaseOptions.answersWait`. */
  settle(): Promise<void> | undefined
}

/** An adapter of Kysely's that belongs to such a connection. */
export interface WithRevision {
  revision: Revision
}

/** Rows, of all that one read has found: some 5 MB. Who uses a service at a time has fewer. */
const MOST = 10_000
/** Characters of a name; longer ones are no name of anything. */
const LONGEST = 150

interface Kept<V> {
  revision: number
  values: Map<string, V>
  rows: number
}

interface Keeping<V> {
  /** Which results are worth keeping. */
  isKept?: (value: V) => boolean
  /** The read locks what it finds, so it is made where others may write meanwhile. */
  locks?: boolean
  /** In a transaction, what was so when it last looked will do. */
  lately?: boolean
}

/**
 * A read whose results are kept until anything changes that the revision counts. So it may read from the tables alone that
 * migrations 37 and 66 watch, and must not depend on the time. In a transaction, a change has to be awaited before it is
 * read. What is missing is not kept, as anyone may ask for that. The results are frozen: requests share them.
 */
export function kept<V extends object>(
  read: (db: Db, name: string) => Promise<V | undefined>,
  { isKept = () => true, locks = false, lately = false }: Keeping<V> = {},
): (db: Db, name: string) => V | undefined | Promise<V | undefined> {
  const keptOf = perSystem((): Kept<V> => ({ revision: Number.NaN, values: new Map(), rows: 0 }))

  async function readAnew(db: Db, name: string, revision: Revision, before: number) {
    const { shared, writes } = revision
    const own = keptOf(shared)
    if (own.revision !== shared.committed) begin(own, shared.committed)
    const { values } = own
    const value = await read(db, name)
    if (value === undefined || name.length > LONGEST || !isKept(value)) return value
    // What a transaction changes may never be committed. A reader may have found something newer than `before`, with
    // which all that is kept ends at the next look.
    if (writes && (before !== own.revision || (await revision.now(db, false)) !== before)) return value
    // Something has changed meanwhile.
    if (values !== own.values) return value
    own.rows += Array.isArray(value) ? value.length : 1
    if (own.rows > MOST) begin(own, own.revision)
    own.values.set(name, freeze(value))
    return value
  }

  function find(db: Db, name: string, revision: Revision, now: number | undefined) {
    if (now === undefined) return read(db, name)
    const { revision: ours, values } = keptOf(revision.shared)
    const value = ours === now ? values.get(name) : undefined
    if (value === undefined) return readAnew(db, name, revision, now)
    const waiting = revision.settle()
    return waiting ? waiting.then(() => value) : value
  }

  return (db, name) => {
    const { revision } = db.getExecutor().adapter as Partial<WithRevision>
    if (revision === undefined || (locks && revision.locks)) return read(db, name)
    const now = revision.now(db, lately)
    return typeof now === 'object'
      ? now.then((known) => find(db, name, revision, known))
      : find(db, name, revision, now)
  }
}

function begin<V>(kept: Kept<V>, revision: number): void {
  kept.revision = revision
  kept.values = new Map()
  kept.rows = 0
}

/** Freezes a row, or a list of rows. */
function freeze<V extends object>(value: V): V {
  for (const part of Array.isArray(value) ? value : []) Object.freeze(part)
  return Object.freeze(value)
}
