import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder, syncFolder } from '../../base/make-folder.ts'
import { Refusal } from '../../base/refusal.ts'
import { removeFiles } from './backup.ts'

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

  /** Writes pages by their numbers, and makes the database `size` pages long. */
  apply(pages: Iterable<readonly [number: number, contents: Buffer]>, pageSize: number, size: number): void {
    for (const [number, contents] of pages) this.#write(contents, (number - 1) * pageSize)
    fs.ftruncateSync(this.#handle, size * pageSize)
    this.#bytes = size * pageSize
  }

  /** Throws if the database is damaged. */
  check(): void {
    fs.fsyncSync(this.#handle)
    this.#open((database) => {
      const found = database.prepare('pragma quick_check(3)').all()
      if (found.length !== 1 || found[0]?.quick_check !== 'ok')
        throw new Error(`The recovered database is damaged: ${found.map((row) => row.quick_check).join('; ')}`)
    })
  }

  /** Writes the new epoch into the database, and gives it its name. Before this, there is nothing but a draft. */
  finish(epoch: { number: number; holder: string }): void {
    this.#open((database) =>
      database.prepare('update instance set epoch = ?, epoch_holder = ?').run(epoch.number, epoch.holder),
    )
    assertFree(this.#target)
    fs.fsyncSync(this.#handle)
    fs.linkSync(this.#draft, this.#target)
    fs.rmSync(this.#draft)
    syncFolder(path.dirname(path.resolve(this.#target)))
  }

  /** What the database says of itself. */
  describe(): { instance: string; buckets: number; objects: number; users: number } {
    return this.#open((database) =>
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

  #open<T>(work: (database: DatabaseSync) => T): T {
    const database = new DatabaseSync(this.#draft)
    try {
      // No log beside a draft that is about to be renamed.
      database.exec('pragma journal_mode = delete')
      return work(database)
    } finally {
      database.close()
    }
  }

  #write(bytes: Buffer, at: number): void {
    for (let done = 0; done < bytes.length; )
      done += fs.writeSync(this.#handle, bytes, done, bytes.length - done, at + done)
  }
}

function assertFree(target: string): void {
  const taken = [target, `${target}-wal`].find((file) => fs.existsSync(file))
  if (taken === undefined) return
  throw new Refusal(
    `${path.resolve(taken)} exists. A database is never overwritten: choose another DATA_DIR, or move it away.`,
  )
}
