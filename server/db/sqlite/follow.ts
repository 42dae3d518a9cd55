import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './errors.ts'

/** https://www.sqlite.org/fileformat2.html#walformat, in bytes. */
const LOG_HEADER = 32
const FRAME_HEADER = 24
/** Bytes read at once. */
const CHUNK = 1024 * 1024
/** Bytes of the log from which what was read is copied into the database, and from which the log should start again. */
const WORTH_COPYING = 4 * 1024 * 1024
const LONG = 64 * 1024 * 1024
/** How long it takes until a long log is tried to be started again once more: someone may be reading from it. */
const AGAIN_MS = 3000
/** How long to wait for the write lock before a long log is left for the next time, in milliseconds. */
const LOCK_MS = 300
/** Pages of one transaction beyond which it is cheaper to copy the database, in bytes. */
const MOST_OF_ONE = 512 * 1024 * 1024

/** A place in a log. */
export interface LogPosition {
  /** What tells this log from those before and after it in the same file. */
  salts: string
  /** How many frames were read. */
  frame: number
  /** The checksum of the last of them, which covers all before it. */
  checksum: string
}

/** Which pages some commits have changed, as the last of them left them. */
export interface PageChanges {
  /** By page number, from 1. */
  pages: Map<number, Buffer>
  pageSize: number
  /** Pages of the database after the last of these commits. */
  size: number
  end: LogPosition
  /** Whether these were all that had been committed when the log was looked at. */
  last: boolean
}

/** One transaction has changed more than is followed. */
export class TooManyChanges extends Error {}

/**
 * Reads what is committed to a SQLite database from its log, in order, whichever process wrote it and without one
 * statement more for a writer. While it is open, a reading transaction is always held, at or before the last frame that was
 * read: so SQLite neither copies frames into the database that were not read (`wal_checkpoint` ends at the oldest reader),
 * nor starts the log again before all of them were. The next transaction is begun before the former ends.
 *
 * The price is that the log can start again only when nothing is left to read and to copy. Once it is long, the write lock
 * is taken for as long as that takes.
 */
export class LogFollower {
  readonly #log: number
  readonly #control: DatabaseSync
  readonly #writer: DatabaseSync
  #held: DatabaseSync
  #free: DatabaseSync
  #at: LogPosition = { salts: '', frame: 0, checksum: '' }
  #pageSize = 4096
  /** The log that was last tried to be started again, and when. */
  #tried = { salts: '', at: Number.NEGATIVE_INFINITY }
  readonly #chunk = Buffer.allocUnsafeSlow(CHUNK)

  constructor(file: string) {
    const open = (readOnly: boolean, timeout: number) => {
      const database = new DatabaseSync(file, { readOnly, timeout })
      if (!readOnly)
        database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 0')
      return database
    }
    this.#control = open(false, 10_000)
    this.#writer = open(false, LOCK_MS)
    this.#held = open(true, 10_000)
    this.#free = open(true, 10_000)
    hold(this.#held)
    this.#log = fs.openSync(`${file}-wal`, 'r')
  }

  /**
   * Continues at a position where an earlier process ended, or, if `unchanged`, with everything in the log: nothing was
   * copied into the database since. Otherwise it begins with what is committed from now on. Returns whether it continues.
   */
  begin(known: LogPosition | undefined, unchanged: boolean): boolean {
    const { salts, frames } = this.#look()
    if (known && known.frame > 0 && known.salts === salts && known.frame <= frames)
      if (this.#checksumOf(known.frame) === known.checksum) {
        this.#at = known
        return true
      }
    if (unchanged) {
      this.#at = { salts, frame: 0, checksum: '' }
      return true
    }
    this.#at = { salts, frame: Math.max(0, frames), checksum: frames > 0 ? this.#checksumOf(frames) : '' }
    return false
  }

  get position(): LogPosition {
    return this.#at
  }

  /** Bytes of the log that were not read yet, roughly: what is being written counts. */
  waiting(): number {
    const { salts, frames } = this.#look()
    return Math.max(0, frames - (salts === this.#at.salts ? this.#at.frame : 0)) * (this.#pageSize + FRAME_HEADER)
  }

  logBytes(): number {
    return fs.fstatSync(this.#log).size
  }

  /** What was committed since the last call, in pieces of about `most` bytes that each end with a commit. */
  *read(most: number): Generator<PageChanges, void, undefined> {
    this.#holdNow()
    yield* this.#readOn(most)
  }

  *#readOn(most: number): Generator<PageChanges, void, undefined> {
    const { salts, frames } = this.#look()
    if (frames <= 0) return
    // Everything of the former log was read: see the class.
    if (salts !== this.#at.salts) this.#at = { salts, frame: 0, checksum: '' }
    let pages = new Map<number, Buffer>()
    const step = this.#pageSize + FRAME_HEADER
    const perChunk = Math.floor(CHUNK / step)
    let from = this.#at.frame
    while (from < frames) {
      const count = Math.min(perChunk, frames - from)
      this.#readAt(this.#chunk.subarray(0, count * step), LOG_HEADER + from * step)
      for (let i = 0; i < count; i++) {
        const header = i * step
        const page = this.#chunk.readUInt32BE(header)
        const contents = this.#chunk.subarray(header + FRAME_HEADER, header + step)
        const known = pages.get(page)
        if (known) contents.copy(known)
        else pages.set(page, Buffer.from(contents))
        const size = this.#chunk.readUInt32BE(header + 4)
        const last = from + i + 1 === frames
        if (size === 0 || !(last || pages.size * this.#pageSize >= most)) continue
        const checksum = this.#chunk.toString('hex', header + 16, header + 24)
        this.#at = { salts, frame: from + i + 1, checksum }
        yield { pages, pageSize: this.#pageSize, size, end: this.#at, last }
        pages = new Map()
      }
      if (pages.size * this.#pageSize > MOST_OF_ONE) throw new TooManyChanges('A transaction changed too many pages')
      from += count
    }
  }

  /**
   * Copies what was read into the database, if it is worth it, and lets a long log start again. What was committed
   * meanwhile is returned. `restart`: nobody is known to read from the log for long, which would keep it as it is.
   */
  tidy(most: number, restart = true): PageChanges[] {
    const { salts, frames, copied } = this.#look()
    const step = this.#pageSize + FRAME_HEADER
    if ((frames - copied) * step > WORTH_COPYING || (frames * step > LONG && frames > copied)) this.#copy()
    const triedLately = salts === this.#tried.salts && performance.now() - this.#tried.at < AGAIN_MS
    if (frames * step < LONG || !restart || triedLately) {
      // Where nobody writes, the log may start again as it is.
      if (frames === copied) this.#holdNow()
      return []
    }
    this.#tried = { salts, at: performance.now() }
    try {
      this.#writer.exec('begin immediate')
    } catch (error) {
      if (isBusy(error as Error)) return []
      throw error
    }
    try {
      this.#holdNow()
      const rest = [...this.#readOn(most)]
      this.#copy()
      this.#holdNow()
      return rest
    } finally {
      this.#writer.exec('rollback')
    }
  }

  /** One row of one query. */
  row(query: string): Record<string, unknown> | undefined {
    return this.#control.prepare(query).get()
  }

  /** Ends every connection; the last one to a database copies the log into it. */
  close(): void {
    for (const one of [this.#held, this.#free, this.#writer, this.#control]) if (one.isOpen) one.close()
    fs.closeSync(this.#log)
  }

  #holdNow(): void {
    hold(this.#free)
    const former = this.#held
    this.#held = this.#free
    this.#free = former
    former.exec('rollback')
  }

  #copy(): void {
    this.#control.prepare('pragma wal_checkpoint(passive)').get()
  }

  /** Which log this is, how many committed frames it has, and how many of them were copied into the database. */
  #look(): { salts: string; frames: number; copied: number } {
    const header = Buffer.alloc(LOG_HEADER)
    for (;;) {
      const before = this.#saltsNow(header)
      const { log, checkpointed } = this.#control.prepare('pragma wal_checkpoint(noop)').get() as {
        log: number
        checkpointed: number
      }
      // Otherwise the log started again in between.
      if (this.#saltsNow(header) !== before) continue
      if (log > 0) this.#pageSize = header.readUInt32BE(8)
      return { salts: before, frames: log, copied: checkpointed }
    }
  }

  #saltsNow(header: Buffer): string {
    return fs.readSync(this.#log, header, 0, LOG_HEADER, 0) < LOG_HEADER ? '' : header.toString('hex', 16, 24)
  }

  #checksumOf(frame: number): string {
    const header = Buffer.alloc(FRAME_HEADER)
    this.#readAt(header, LOG_HEADER + (frame - 1) * (this.#pageSize + FRAME_HEADER))
    return header.toString('hex', 16, 24)
  }

  #readAt(into: Buffer, at: number): void {
    for (let done = 0; done < into.length; ) {
      const read = fs.readSync(this.#log, into, done, into.length - done, at + done)
      if (read === 0) throw new Error('The log of the database is shorter than it should be')
      done += read
    }
  }
}

/** Begins a transaction that reads the newest commit. */
function hold(database: DatabaseSync): void {
  database.exec('begin')
  database.prepare('select count(*) from sqlite_schema').get()
}
