import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../../base/make-folder.ts'
import { Refusal } from '../../base/refusal.ts'
import { isBusy } from './errors.ts'

/** Another process has the database. */
export class InUse extends Refusal {}

/** The files of a SQLite database: the database, its log, and the log's index. */
export const filesOf = (file: string): string[] => [file, `${file}-wal`, `${file}-shm`]

/** Whether there is a database; an empty file is not one. */
export const isThere = (file: string): boolean => (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

/**
 * Creates a file that only its owner can read, and its folder; narrows the mode of an existing one. SQLite gives its
 * log and index the file's mode.
 */
export function makePrivate(file: string, report: (error: Error) => void): void {
  makeFolder(path.dirname(path.resolve(file)))
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // By name: closing a descriptor of the database would drop this process's locks on it.
  for (const one of filesOf(file))
    try {
      const mode = fs.statSync(one, { throwIfNoEntry: false })?.mode ?? 0
      if (mode & 0o077) fs.chmodSync(one, mode & 0o700)
    } catch (error) {
      report(error as Error)
    }
}

/** The first of the database's files that this process cannot read and write; undefined when it can. */
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
 * Takes the database for this process alone, until the function it returns is called or the process ends in any way:
 * the kernel holds the lock, on a file beside. Throws a Refusal when another process has it.
 */
export function lockFile(file: string): () => void {
  const beside = `${file}-lock`
  makePrivate(beside, (error) => {
    throw error
  })
  const lock = new DatabaseSync(beside, { timeout: 0 })
  try {
    // Nothing is ever written, so it needs no journal file.
    lock.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    lock.close()
    if (!isBusy(error as Error)) throw error
    throw new InUse(
      `Another service is using ${path.resolve(file)}. Only one process can serve a SQLite database: stop the other one first, or use PostgreSQL.`,
    )
  }
  return () => lock.close()
}

/** One row of a database that others may have open; undefined if there is none, or no such table. */
export function rowOf<T>(file: string, query: string, ...values: string[]): T | undefined {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  try {
    return database.prepare(query).get(...values) as T | undefined
  } catch (error) {
    if ((error as Error).message.startsWith('no such table')) return undefined
    throw error
  } finally {
    database.close()
  }
}
