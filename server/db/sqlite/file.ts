import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Refusal } from '../../refusal.ts'

/** Of a SQLite database: the file itself, its log, and the index of that. */
const filesOf = (file: string): string[] => [file, `${file}-wal`, `${file}-shm`]

/** Whether there is a database: an empty file is none. */
export const isThere = (file: string): boolean => (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

/**
 * Makes a file that only its owner reads, and its folder; narrows one that more may read. SQLite gives its log and index
 * the mode of the file.
 */
export function makePrivate(file: string, report: (error: Error) => void): void {
  fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true, mode: 0o700 })
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // By name: closing a descriptor of a database would drop the locks that this process has on it.
  for (const one of filesOf(file))
    try {
      const mode = fs.statSync(one, { throwIfNoEntry: false })?.mode ?? 0
      if (mode & 0o077) fs.chmodSync(one, mode & 0o700)
    } catch (error) {
      report(error as Error)
    }
}

/**
 * Opens a database for a look that leaves no trace: a file without a log is read as it is, since SQLite would put a log
 * and an index beside it and leave them there. One that has a log is in use, or its process was killed.
 */
export function openForLook(file: string): DatabaseSync {
  const logged = (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (logged) return new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  return openAsItLies(file)
}

/** Opens a database that nobody writes to, so that no file comes to be beside it. */
export function openAsItLies(file: string): DatabaseSync {
  const url = pathToFileURL(path.resolve(file))
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}

/** Why this process could not work on a database whose folder it may write; undefined when nothing speaks against it. */
export const foreignFile = (file: string): string | undefined =>
  filesOf(path.resolve(file)).find((one) => {
    if (!fs.existsSync(one)) return false
    try {
      fs.accessSync(one, fs.constants.R_OK | fs.constants.W_OK)
      return false
    } catch {
      return true
    }
  })

/**
 * Takes the database for this process alone, until the function it gives is called or the process ends in any way: the
 * lock is the kernel's, on a file beside. Throws when another process has it.
 */
export function lockForService(file: string): () => void {
  const beside = `${file}-lock`
  makePrivate(beside, (error) => {
    throw error
  })
  const lock = new DatabaseSync(beside, { timeout: 0 })
  try {
    // Without the file of a journal: nothing is ever written.
    lock.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error
    throw new Refusal(
      `Another service runs on ${path.resolve(file)}. A SQLite database is served by one process: end that one first, or use PostgreSQL.`,
    )
  }
  return () => lock.close()
}
const SQLITE_BUSY = 5
