import fs from 'node:fs'
import { machineUptime } from '../base/uptime.ts'
import { readJson, writeJson } from './state-file.ts'

/** What is kept next to the database of a standby: what it has applied. The next process goes on from there. */
export interface StandbyState {
  /** The place it follows. */
  from: string
  chain: string
  /** The last number applied, and its SHA-256. */
  number: number
  hash: string
  /** Everything that was acknowledged until then is in it. */
  moment: string
  instance: string
  /** The epoch that it takes, or has taken: who finds this after a crash finishes it, if it was taken. */
  promoting?: { number: number; holder: string }
}
/** How a standby is getting on. */
export interface StandbyProgress {
  /** `copying`: a whole copy is being fetched. `waiting`: what comes next cannot be used, or is missing; a new copy is awaited. */
  state: 'copying' | 'following' | 'waiting' | 'failing' | 'promoting' | 'promoted'
  from: string
  moment: string | null
  number: number
  /**
   * When this machine last heard from the main service while it had everything, by the machine's uptime in milliseconds: the clock
   * of another machine says nothing. Null while it has not.
   */
  fresh: number | null
  error: string | null
  /** When this was written. */
  written: string
}

/** The files of a standby, next to the database that it becomes. */
export const standbyFiles = (database: string) => ({
  database: `${database}-standby`,
  /** What is about to be applied: it is applied again by whoever finds it. */
  parts: `${database}-standby-parts`,
  state: `${database}-standby-state`,
  progress: `${database}-standby-progress`,
  /** That somebody wants it to be promoted, and what came of it. */
  asked: `${database}-standby-promote`,
  answered: `${database}-standby-promoted`,
})

export const readStandby = (database: string): StandbyState | undefined => readJson(standbyFiles(database).state)
/** Survives a power failure: what was applied before it must not be applied to what is older. */
export const writeStandby = (database: string, state: StandbyState): void =>
  writeJson(standbyFiles(database).state, state, { synced: true })
export const forgetStandby = (database: string): void => {
  const { state, parts } = standbyFiles(database)
  for (const file of [state, parts]) fs.rmSync(file, { force: true })
}
export const readStandbyProgress = (database: string): StandbyProgress | undefined =>
  readJson(standbyFiles(database).progress)
export const writeStandbyProgress = (
  database: string,
  progress: Omit<StandbyProgress, 'written'>,
  options?: { synced: boolean },
): void => writeJson(standbyFiles(database).progress, { ...progress, written: new Date().toISOString() }, options)

/** For how long a standby has not heard from the main service, or not had everything, in seconds; null if it never has. */
export function standbyLag({ fresh }: Pick<StandbyProgress, 'fresh'>): number | null {
  const passed = fresh === null ? -1 : machineUptime() - fresh
  // Of before the machine was started again.
  return passed < 0 ? null : passed / 1000
}
