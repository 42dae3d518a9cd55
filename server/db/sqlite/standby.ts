import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** https://www.sqlite.org/fileformat2.html#the_database_header: where what is, in bytes. */
const HEADER = 100
const FORMATS = 18
const CHANGE_COUNTER = 24
const PAGES = 28
const VALID_FOR = 92
/** The formats of a database with a rollback journal, which need no other file to be read. */
const ROLLBACK_JOURNAL = 1
/** How long readers may keep a change waiting, in milliseconds. */
const LOCK_MS = 30_000

/** Throws if a database is damaged. */
export function checkPages(database: DatabaseSync): void {
  const found = database.prepare('pragma quick_check(3)').all()
  if (found.length !== 1 || found[0]?.quick_check !== 'ok')
    throw new Error(`The recovered database is damaged: ${found.map((row) => row.quick_check).join('; ')}`)
}

/** A change of the file was begun and not finished. */
export class Torn extends Error {}

/** The pages that one file of changes has. */
export interface PageSet {
  pages: Iterable<readonly [number: number, contents: Buffer]>
  pageSize: number
  /** Pages of the database after it. */
  size: number
}

/**
 * The database of a standby. Pages are written into its file while SQLite's exclusive lock is held, so that whoever reads it by
 * SQLite sees all changes of a call or none of them. A process that is killed meanwhile leaves it torn: the next one has to
 * give the same changes again, before anybody reads it (`again`).
 */
export class StandbyFile {
  readonly #handle: number
  readonly #lock: DatabaseSync

  constructor(file: string, again: readonly PageSet[] = []) {
    // Kept open as long as the lock: closing a descriptor drops the locks of this process.
    this.#handle = fs.openSync(file, 'r+')
    if (again.length > 0) {
      this.#write(again)
      fs.fdatasyncSync(this.#handle)
    }
    this.#lock = new DatabaseSync(file, { timeout: LOCK_MS })
  }

  /**
   * Applies changes in order, all at once for readers. Resolves when they survive a power failure. Where it rejects, the lock is
   * kept, because the file may be torn: the process has to end, and the next one to apply them again.
   */
  async apply(changes: readonly PageSet[]): Promise<void> {
    this.#lock.exec('begin exclusive')
    try {
      this.#write(changes)
    } catch (error) {
      throw new Torn('The database of the standby could not be written', { cause: error })
    }
    this.#lock.exec('rollback')
    await new Promise<void>((resolve, reject) =>
      fs.fdatasync(this.#handle, (error) => (error ? reject(error) : resolve())),
    )
  }

  /** One row of one query. */
  row(query: string): Record<string, unknown> | undefined {
    return this.#lock.prepare(query).get()
  }

  /** Throws if it is damaged. */
  check(): void {
    checkPages(this.#lock)
  }

  close(): void {
    this.#lock.close()
    fs.closeSync(this.#handle)
  }

  #write(changes: readonly PageSet[]): void {
    const before = Buffer.alloc(HEADER)
    fs.readSync(this.#handle, before, 0, HEADER, 0)
    for (const { pages, pageSize, size } of changes) {
      for (const [number, contents] of pages) this.#writeAt(contents, (number - 1) * pageSize)
      fs.ftruncateSync(this.#handle, size * pageSize)
    }
    this.#adaptHeader(before.readUInt32BE(CHANGE_COUNTER) + 1, changes.at(-1)?.size ?? 0)
  }

  /** The main database has a log, and says so; its readers look there for what is new. Those of this one look at the counter. */
  #adaptHeader(counter: number, size: number): void {
    const header = Buffer.alloc(HEADER)
    fs.readSync(this.#handle, header, 0, HEADER, 0)
    header.fill(ROLLBACK_JOURNAL, FORMATS, FORMATS + 2)
    header.writeUInt32BE(counter >>> 0, CHANGE_COUNTER)
    header.writeUInt32BE(size, PAGES)
    header.writeUInt32BE(counter >>> 0, VALID_FOR)
    this.#writeAt(header, 0)
  }

  #writeAt(bytes: Buffer, at: number): void {
    for (let done = 0; done < bytes.length; )
      done += fs.writeSync(this.#handle, bytes, done, bytes.length - done, at + done)
  }
}
