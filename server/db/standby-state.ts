import fs from 'node:fs'
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
}
/** How a standby is getting on. */
export interface StandbyProgress {
  /** `copying`: a whole copy is being fetched. `waiting`: what comes next cannot be used; a new copy is awaited. */
  state: 'copying' | 'following' | 'waiting' | 'failing' | 'promoting' | 'promoted'
  from: string
  moment: string | null
  number: number
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
  /** That somebody wants it to be promoted. */
  asked: `${database}-standby-promote`,
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
export const writeStandbyProgress = (database: string, progress: StandbyProgress): void =>
  writeJson(standbyFiles(database).progress, progress)
