import fs from 'node:fs'
import { Refusal } from '../../base/refusal.ts'
import { assertSound, nameDatabase, removeFiles, StandbyFile } from '../../db/sqlite-files.ts'
import { forgetStandby, readStandby, type StandbyState, standbyFiles, writeStandby } from '../../db/standby-state.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { type Changes, readChanges } from '../backup/changes.ts'
import { type Epoch, epochOf } from '../backup/epochs.ts'
import { CHAINS, findFiles } from '../backup/find.ts'
import { changesName, keyFor, Unreadable } from '../backup/format.ts'
import { readPulse } from '../backup/pulse.ts'
import { type Recovered, recoverDatabase } from '../backup/recover.ts'
import { keepParts, keptParts } from './parts.ts'

/** How many files are asked for at once, and the bytes of pages that are applied at once. */
const MOST_AHEAD = 16
const MOST_BYTES = 64 * 1024 * 1024
/** How often it is looked whether a newer history has begun, and whether the other side is alive, in milliseconds. */
const LOOK_MS = 2500

export interface FollowerOptions {
  /** The database that the standby becomes. */
  database: string
  from: string
  place: NamedFiles
  secretKeys: readonly string[]
  report(line: string): void
  /** Awaited before another file takes the place of the standby's database: nobody may have it open then. */
  onReplace(): Promise<void>
}

interface Part {
  changes: Changes
  file: Buffer
}

/**
 * Keeps a copy of a database up to date from a backup place. Files of changes are applied whole, in order, and first kept
 * next to the copy, so that a process that is killed at any moment leaves nothing half applied for the next one.
 */
export class Follower {
  readonly #o: FollowerOptions
  #state: StandbyState | undefined
  #file: StandbyFile | undefined
  #moment: string | null = null
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(options: FollowerOptions) {
    this.#o = options
  }

  /** Everything that was acknowledged until then is here; null before there is a copy. */
  get moment(): string | null {
    return this.#moment
  }
  /** The last number applied. */
  get number(): number {
    return this.#state?.number ?? 0
  }

  /** Continues where an earlier process has ended, also if that was killed. */
  async open(): Promise<void> {
    const { database } = this.#o
    const files = standbyFiles(database)
    const state = readStandby(database)
    if (!state || !fs.existsSync(files.database)) return
    let again: Part[]
    try {
      again = await this.#begun(state)
    } catch (error) {
      this.#o.report(
        `What was being applied cannot be read any more (${(error as Error).message}): a new copy is fetched`,
      )
      return
    }
    const file = new StandbyFile(
      files.database,
      again.map(({ changes }) => changes),
    )
    this.#use(file, after(state, again))
  }

  /**
   * Applies what has come. Returns whether there was anything. Rejects with Unreadable if what comes next cannot be used, and
   * there is no newer copy yet.
   */
  async step(): Promise<boolean> {
    if (!this.#state) {
      await this.#copy()
      return true
    }
    let damaged: Unreadable | undefined
    const parts = await this.#fetch(this.#state).catch((error: unknown) => {
      if (!(error instanceof Unreadable)) throw error
      damaged = error
      return []
    })
    if (parts.length > 0) {
      await this.#apply(this.#state, parts)
      return true
    }
    if (performance.now() - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = performance.now()
      if (await this.#isLeftBehind(this.#state, damaged !== undefined)) {
        await this.#copy()
        return true
      }
      await this.#listen(this.#state)
    }
    if (damaged) throw damaged
    return false
  }

  /** What its database says of itself. */
  own(): Epoch & { instance: string } {
    if (!this.#file) throw new Refusal('There is no copy of the database here yet.')
    return epochOf(this.#file)
  }

  /** Makes it the database, with a new epoch. */
  finish(epoch: Epoch): void {
    const { database } = this.#o
    const file = standbyFiles(database).database
    this.close()
    assertSound(file)
    nameDatabase(file, database, epoch)
    forgetStandby(database)
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }

  #use(file: StandbyFile, state: StandbyState): void {
    this.#file = file
    this.#state = state
    this.#moment = state.moment
    writeStandby(this.#o.database, state)
  }

  /** The changes that were being applied after this state; none if nothing was. */
  async #begun(state: StandbyState): Promise<Part[]> {
    const kept = keptParts(standbyFiles(this.#o.database).parts)
    if (!kept || kept.chain !== state.chain || kept.first !== state.number + 1) return []
    const parts: Part[] = []
    let previous = state.hash
    for (const [i, file] of kept.files.entries()) {
      const changes = await this.#read({ chain: kept.chain, number: kept.first + i, previous }, file)
      parts.push({ changes, file })
      previous = changes.hash
    }
    return parts
  }

  async #fetch({ chain, number, hash }: StandbyState): Promise<Part[]> {
    const parts: Part[] = []
    let previous = hash
    let bytes = 0
    for (let width = 1; bytes < MOST_BYTES; width = Math.min(width * 2, MOST_AHEAD)) {
      const first = number + 1 + parts.length
      const names = Array.from({ length: width }, (_, i) => changesName(chain, first + i))
      for (const file of await Promise.all(names.map((name) => this.#o.place.get(name)))) {
        if (!file) return parts
        try {
          const changes = await this.#read({ chain, number: number + 1 + parts.length, previous }, file)
          parts.push({ changes, file })
          previous = changes.hash
          bytes += changes.header.pages * changes.pageSize
        } catch (error) {
          if (parts.length === 0) throw error
          return parts
        }
      }
    }
    return parts
  }

  async #read(at: Parameters<typeof readChanges>[1], file: Buffer): Promise<Changes> {
    let failure: unknown
    for (const secretKey of this.#o.secretKeys)
      try {
        return await readChanges(keyFor(secretKey, at.chain), at, file)
      } catch (error) {
        failure ??= error
      }
    throw failure
  }

  async #apply(state: StandbyState, parts: readonly Part[]): Promise<void> {
    const files = parts.map(({ file }) => file)
    keepParts(standbyFiles(this.#o.database).parts, { chain: state.chain, first: state.number + 1, files })
    const file = this.#file as StandbyFile
    await file.apply(parts.map(({ changes }) => changes))
    this.#use(file, after(state, parts))
  }

  /** Whether there is a copy of the database from which on it goes on, as it does not from here. */
  async #isLeftBehind({ chain, number }: StandbyState, isDamaged: boolean): Promise<boolean> {
    const { place } = this.#o
    const chains = (await place.folders(CHAINS)).map((name) => name.slice(0, -1))
    const finished = async (name: string) =>
      (await findFiles(place, `${name}/bases/`)).flatMap(({ bases }) => bases.filter(({ isLast }) => isLast))
    for (const name of chains) if (name > chain && (await finished(name)).length > 0) return true
    const isLater = (await finished(chain)).some((base) => base.number > number + 1)
    return isLater && (isDamaged || (await place.get(changesName(chain, number + 1))) === undefined)
  }

  /** Hears that nothing has changed, which is all there is to know of a service that nobody uses. */
  async #listen({ chain, number }: StandbyState): Promise<void> {
    for (const secretKey of this.#o.secretKeys) {
      const pulse = await readPulse(this.#o.place, chain, keyFor(secretKey, chain))
      if (pulse?.number === number && pulse.moment > (this.#moment ?? '')) this.#moment = pulse.moment
      if (pulse) return
    }
  }

  /** Begins with a whole copy. Nothing of the former is touched before that is complete. */
  async #copy(): Promise<void> {
    const { database, from, place, secretKeys, report, onReplace } = this.#o
    const files = standbyFiles(database)
    const target = `${files.database}-next`
    removeFiles(target)
    const found = await recoverDatabase({ place, secretKeys, target, at: undefined, report }, async (file, reached) => {
      if (this.#state && reached.instance !== this.#state.instance)
        throw new Refusal(`There is another database now at the backup place (instance ${reached.instance}).`)
      this.#assertNewer(reached)
      file.check()
      file.finish()
    })
    for (const one of found.missing) report(one)
    await onReplace()
    this.close()
    // In this order: what is known of the former database must never be taken for that of the new one.
    forgetStandby(database)
    fs.renameSync(target, files.database)
    const { instance, moment, last } = found
    this.#use(new StandbyFile(files.database), { from, instance, moment, ...last })
  }

  #assertNewer({ last }: Recovered): void {
    const state = this.#state
    if (state && (last.chain < state.chain || (last.chain === state.chain && last.number <= state.number)))
      throw new Unreadable('the newest copy of the database is no newer than what is here')
  }
}

function after(state: StandbyState, parts: readonly Part[]): StandbyState {
  const last = parts.at(-1)?.changes
  return last ? { ...state, number: last.header.number, hash: last.hash, moment: last.header.moment } : state
}
