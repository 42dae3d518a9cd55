import fs from 'node:fs'
import type { LogPosition } from './sqlite/follow.ts'
import { readJson, writeJson } from './state-file.ts'

/** How far a chain is: the last number stored, its SHA-256, and up to where in the log that is. */
export interface Stored {
  number: number
  hash: string
  position: LogPosition
}

/** What is kept next to a SQLite database about its copy at the backup place; every process of the service can read it. */
export interface BackupState extends Stored {
  /** The key that the chain is encrypted with, by its fingerprint, and where it is. */
  key: string
  url: string
  chain: string
  /** Whether a whole copy of the database belongs to the chain. */
  based: boolean
  /** What is being stored, and may be there already; missing in what earlier releases have written. */
  storing?: Stored | null
  /** How the database's file was when everything in it had been stored and nobody had it open; null while it is in use. */
  file: string | null
}

/** How the copy is getting on. */
export interface BackupProgress {
  /** `copying`: the first copy is not whole yet. `failing`: the place cannot be written. `fenced`: another instance took over. */
  state: 'following' | 'copying' | 'failing' | 'fenced'
  /** Everything acknowledged until then can be recovered; null if nothing can. */
  moment: string | null
  /** Where, as `recover --from` takes it. */
  url: string
  /** When this was written. */
  written: string
  error: string | null
  /** The newest whole copy of the database: when, and its bytes. */
  base: { moment: string; bytes: number } | null
  /** Files of changes, and their bytes, since this process began. */
  sent: { files: number; bytes: number }
  /** Bytes of the log that are not at the backup place yet. */
  waiting: number
}

const stateFile = (database: string): string => `${database}-backup`
const progressFile = (database: string): string => `${database}-backup-progress`

/** Undefined if there is none, or not a whole one. None is synced: what a power failure leaves does not fit the log. */
export const readState = (database: string): BackupState | undefined => readJson(stateFile(database))
export const readProgress = (database: string): BackupProgress | undefined => readJson(progressFile(database))
export const writeState = (database: string, state: BackupState): void => writeJson(stateFile(database), state)
export const writeProgress = (database: string, progress: BackupProgress): void =>
  writeJson(progressFile(database), progress)
export const forgetState = (database: string): void => fs.rmSync(stateFile(database), { force: true })

/** What changes whenever a database's file is written; null if there is none, or a log with something in it. */
export function fileNow(database: string): string | null {
  const log = fs.statSync(`${database}-wal`, { throwIfNoEntry: false })
  return log && log.size > 0 ? null : identityOf(database)
}

/** The same whatever its log holds. */
export function identityOf(database: string): string | null {
  const found = fs.statSync(database, { throwIfNoEntry: false, bigint: true })
  return found ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ') : null
}
