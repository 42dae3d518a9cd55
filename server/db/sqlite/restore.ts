import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder, syncFolder } from '../../base/make-folder.ts'
import { Refusal } from '../../base/refusal.ts'
import { removeFiles } from './backup.ts'
import { checkPages, type PageSet } from './standby.ts'

/**
 * A database that is put together from a copy of its bytes and from pages that were changed since. It gets its name when it
 * was checked.
 */
export class RestoredFile {
  readonly #target: string
  readonly #draft: string
  readonly #handle: number
  #bytes = 0

  /** Throws a Refusal if there is a database, or something in its place. */
  constructor(target: string) {
    assertFree(target)
    this.#target = target
    this.#draft = `${target}.recovering`
    makeFolder(path.dirname(path.resolve(target)))
    removeFiles(this.#draft)
    this.#handle = fs.openSync(this.#draft, 'wx+', 0o600)
  }

  append(bytes: Buffer): void {
    this.#write(bytes, this.#bytes)
    this.#bytes += bytes.length
  }

  apply({ pages, pageSize, size }: PageSet): void {
    for (const [number, contents] of pages) this.#write(contents, (number - 1) * pageSize)
    fs.ftruncateSync(this.#handle, size * pageSize)
    this.#bytes = size * pageSize
  }

  /** Throws if the database is damaged. */
  check(): void {
    fs.fsyncSync(this.#handle)
    assertSound(this.#draft)
  }

  /** Writes the new epoch into the database, if there is one, and gives it its name. Before this, there is only a draft. */
  finish(epoch?: NewEpoch): void {
    fs.fsyncSync(this.#handle)
    nameDatabase(this.#draft, this.#target, epoch)
  }

  /** What the database says of itself. */
  describe(): Described {
    return withDatabase(this.#draft, (database) =>
      database
        .prepare(
          `select id as instance, epoch, (select count(*) from buckets where deleted_at is null) as buckets,
            (select count(*) from objects) as objects, (select count(*) from users) as users from instance`,
        )
        .get(),
    ) as unknown as Described
  }

  close(): void {
    fs.closeSync(this.#handle)
    removeFiles(this.#draft)
  }

  #write(bytes: Buffer, at: number): void {
    for (let done = 0; done < bytes.length; )
      done += fs.writeSync(this.#handle, bytes, done, bytes.length - done, at + done)
  }
}

interface Described {
  instance: string
  epoch: number
  buckets: number
  objects: number
  users: number
}

/** The number of an epoch that begins, and who holds it. */
export interface NewEpoch {
  number: number
  holder: string
}

function withDatabase<T>(file: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file)
  try {
    // No log beside a file that is about to be renamed.
    database.exec('pragma journal_mode = delete')
    return work(database)
  } finally {
    database.close()
  }
}

/** Throws if a database that nobody uses is damaged. */
export const assertSound = (file: string): void => withDatabase(file, checkPages)

/**
 * Writes an epoch into a database that nobody uses, and gives it its final name, with all of it on disk. Throws a Refusal if
 * the name is taken. Where it throws, the draft is what it was.
 */
export function nameDatabase(draft: string, target: string, epoch: NewEpoch | undefined): void {
  assertFree(target)
  const former = epoch && readEpoch(draft)
  try {
    if (epoch) writeEpoch(draft, epoch)
    fs.linkSync(draft, target)
    try {
      syncFolder(path.dirname(path.resolve(target)))
    } catch (error) {
      fs.rmSync(target)
      throw error
    }
  } catch (error) {
    if (former) ifPossible(() => writeEpoch(draft, former))
    throw error
  }
  // It has its final name: what stays of this one harms nobody.
  ifPossible(() => removeFiles(draft))
}

function ifPossible(work: () => void): void {
  try {
    work()
  } catch {}
}

/** What a database that nobody uses says of who may write. */
const readEpoch = (file: string): FormerEpoch =>
  withDatabase(file, (database) =>
    database.prepare('select epoch as number, epoch_holder as holder from instance').get(),
  ) as unknown as FormerEpoch
type FormerEpoch = Omit<NewEpoch, 'holder'> & { holder: string | null }

const writeEpoch = (file: string, { number, holder }: FormerEpoch): void =>
  withDatabase(file, (database) => {
    database.prepare('update instance set epoch = ?, epoch_holder = ?').run(number, holder)
  })

/** Throws a Refusal if there is a database, or something in its place. */
export function assertFree(target: string): void {
  const taken = [target, `${target}-wal`].find((file) => fs.existsSync(file))
  if (taken === undefined) return
  throw new Refusal(
    `${path.resolve(taken)} exists. A database is never overwritten: choose another DATA_DIR, or move it away.`,
  )
}
