import type { Change } from './moments.ts'
import type { DatabaseObserver } from './observe.ts'
import type { Db, Tx } from './schema.ts'
import type { WriteTurn } from './turn.ts'

export interface TransactionOptions {
  relaxed?: boolean
  /** By the system's clock and by nobody, unless given. */
  change?: Change
}

/** An open database of either engine. */
export interface Database {
  /** Reads of committed state that no power failure takes back; see `answersWait` for who waits for that. */
  db: Db
  /** Until nothing that was read so far can be taken back by a power failure; undefined when nothing can. */
  settled(): Promise<void> | undefined
  /**
   * Runs `work` in one transaction and resolves when it is durable. A deadlock or serialisation failure runs it again
   * (at most 5 times), so `work` awaits nothing but `tx`. Throws at once inside another transaction. With `relaxed` it
   * may resolve before it would survive a power failure itself; what it has read does then, as it does where it
   * rejects. `change` is what it says of the objects that it changes.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Until no transaction of any process can change any more what objects were at a moment that has come: those that run
   * have ended, and later ones get later moments.
   */
  settleMoment(moment: number): Promise<void>
  /** Brings the schema up to date; several processes may do it at once. */
  migrate(): Promise<void>
  /** Rejects when the database does not answer. */
  check(): Promise<void>
  /** The connections to a server right now; null for SQLite. */
  pool(): { most: number; open: number; idle: number; waiting: number } | null
  /** The space kept free beside a SQLite file; null where the database is a server's. */
  reserve: Reserve | null
  /**
   * Gives back what the log of a SQLite file takes of the disk beyond `least` bytes, unless a reader needs it or someone is
   * writing just then; false if so. Waits for no lock, and does nothing for a server.
   */
  shrinkLog(least: number): Promise<boolean>
  /** Writes a copy of this moment into a new file while others go on; SQLite only, PostgreSQL refuses. */
  backup(file: string): Promise<Copied>
  close(): Promise<void>
}

/**
 * A file that takes up space beside the database, so that there is some when the disk is full: a transaction that finds no
 * room lets it go and runs again, and people can sign in and delete.
 */
export interface Reserve {
  /** Its size in bytes; 0 when it was let go or never made. */
  held(): number
  /** Lets it go at once; true if that gave space, now or within the last two seconds. */
  release(): boolean
  /** Makes it so many bytes large; rejects, and leaves what there was, if there is no room. */
  keep(bytes: number): Promise<void>
}

/** What a copy of the database holds. */
export interface Copied {
  buckets: number
  objects: number
  users: number
  /** Bytes of the file. */
  size: number
}

export interface DatabaseOptions {
  /**
   * Receives errors that nobody waits for: the server ended an idle connection, the schema is newer than this release.
   */
  report?: (error: Error) => void
  /** Told the name of each migration that was applied to a database which had a schema. */
  migrated?: (name: string) => void
  /** Most connections to a server. */
  connections?: number
  observer?: DatabaseObserver
  /**
   * Whether the caller keeps what it reads to itself until `settled`, so that reads need not wait one by one. Default:
   * no.
   */
  answersWait?: () => boolean
  /** When the request arrived that the caller serves, as `performance.now()`; infinite without one, which is the default. */
  arrived?: () => number
  /** Rejects instead of creating a missing SQLite file. */
  existing?: boolean
  /** Where several processes of one service write to a SQLite file; a server needs none. */
  turn?: WriteTurn | undefined
}

/** The options of an open, each with its default. */
export type AllOptions = Required<Omit<DatabaseOptions, 'turn'>> & Pick<DatabaseOptions, 'turn'>
