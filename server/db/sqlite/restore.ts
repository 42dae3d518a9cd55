import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder, syncFolder } from '../../base/make-folder.ts'
import { Refusal } from '../../base/refusal.ts'
import { removeFiles } from './backup.ts'
import type { PageSet } from './standby.ts'

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
  describe(): { instance: string; buckets: number; objects: number; users: number } {
    return withDatabase(this.#draft, (database) =>
      database
        .prepare(
          `select id as instance, (select count(*) from buckets where deleted_at is null) as buckets,
            (select count(*) from objects) as objects, (select count(*) from users) as users from instance`,
        )
        .get(),
    ) as { instance: string; buckets: number; objects: number; users: number }
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
export function assertSound(file: string): void {
  const found = withDatabase(file, (database) => database.prepare('pragma quick_check(3)').all())
  if (found.length !== 1 || found[0]?.quick_check !== 'ok')
    throw new Error(`The recovered database is damaged: ${found.map((row) => row.quick_check).join('; ')}`)
}

/**
 * Writes an epoch into a database that nobody uses, and gives it its final name, with all of it on disk. Throws a Refusal if
 * the name is taken.
 */
export function nameDatabase(draft: string, target: string, epoch: NewEpoch | undefined): void {
  if (epoch)
    withDatabase(draft, (database) =>
      database.prepare('update instance set epoch = ?, epoch_holder = ?').run(epoch.number, epoch.holder),
    )
  assertFree(target)
  fs.linkSync(draft, target)
  fs.rmSync(draft)
  syncFolder(path.dirname(path.resolve(target)))
}

/** Throws a Refusal if there is a database, or something in its place. */
export function assertFree(target: string): void {
  const taken = [target, `${target}-wal`].find((file) => fs.existsSync(file))
  if (taken === undefined) return
  throw new Refusal(
    `${path.resolve(taken)} exists. A database is never overwritten: choose another DATA_DIR, or move it away.`,
  )
}
