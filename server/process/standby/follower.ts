import fs from 'node:fs'
import { Refusal } from '../../base/refusal.ts'
import { machineUptime } from '../../base/uptime.ts'
import { assertFree, assertSound, nameDatabase, removeFiles, StandbyFile } from '../../db/sqlite-files.ts'
import { forgetStandby, readStandby, type StandbyState, standbyFiles, writeStandby } from '../../db/standby-state.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { type Epoch, epochOf, type Own } from '../backup/epochs.ts'
import { changesName, sha256, Unreadable } from '../backup/format.ts'
import { type Recovered, recoverDatabase } from '../backup/recover.ts'
import { gapBefore, isLeftBehind, newestCopy, pulseOf } from './beyond.ts'
import { after, fetchParts, interrupted, type Part } from './coming.ts'
import { Hearing } from './hearing.ts'
import { keepParts } from './parts.ts'
import { leavePromoted } from './promoted.ts'

/** How often it is looked whether a newer history has begun, and whether the other side is alive, in milliseconds. */
const LOOK_MS = 2500
/** When a copy that cannot be used is fetched again, at first and at most, in milliseconds; at once if there is another. */
const COPY_AGAIN_MS = 10_000
const COPY_AGAIN_MOST_MS = 15 * 60_000

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

/** It does not go on without a new copy, which was not to be fetched. */
export class NeedsCopy extends Refusal {}

/**
 * Keeps a copy of a database up to date from a backup place. Files of changes are applied whole, in order, and first kept
 * next to the copy, so that a process that is killed at any moment leaves nothing half applied for the next one.
 */
export class Follower {
  readonly #o: FollowerOptions
  readonly #stopping = new AbortController()
  readonly #hearing = new Hearing()
  #state: StandbyState | undefined
  #file: StandbyFile | undefined
  #moment: string | null = null
  /** The instance whose database was here before: no other takes its place. */
  #instance: string | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  /** What the main service has said last while nothing changed. */
  #pulse: string | undefined
  #gap: Unreadable | undefined
  #copying: { bytes: number; of: number } | undefined
  #unusable: { copy: string | undefined; error: Error; wait: number; until: number } | undefined

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
  get hearing(): Pick<Hearing, 'fresh' | 'isSilentFor'> {
    return this.#hearing
  }
  /** How much of a copy was fetched; undefined while none is. */
  get copying(): { bytes: number; of: number } | undefined {
    return this.#copying
  }
  /** The epoch of a promotion that was not finished. */
  get promoting(): Epoch | undefined {
    return this.#state?.promoting
  }

  /** Continues where an earlier process has ended, also if that was killed. */
  async open(): Promise<void> {
    const { database, from, report } = this.#o
    const files = standbyFiles(database)
    const state = readStandby(database)
    if (!state || !fs.existsSync(files.database)) return
    this.#instance = state.instance
    if (state.from !== from && !(await this.#isSameHistory(state))) {
      report(`This standby has followed ${state.from}; ${from} has another history, of which a new copy is fetched`)
      return
    }
    let again: Part[]
    try {
      again = await interrupted(database, state, this.#o.secretKeys)
    } catch (error) {
      report(`What was being applied cannot be read any more (${(error as Error).message}): a new copy is fetched`)
      return
    }
    const file = new StandbyFile(
      files.database,
      again.map(({ changes }) => changes),
    )
    this.#use(file, { ...after(state, again), from })
  }

  /**
   * Applies what has come. Returns whether there was anything. Rejects with Unreadable if what comes next cannot be used, or is
   * missing, and there is no newer copy yet; with NeedsCopy if it needs one and must not fetch it.
   */
  async step({ copies = true } = {}): Promise<boolean> {
    const began = machineUptime()
    try {
      return await this.#advance(began, copies)
    } catch (error) {
      this.#hearing.lost()
      throw error
    }
  }

  async #advance(began: number, copies: boolean): Promise<boolean> {
    if (!this.#state) return this.#copy(copies)
    let damaged: Unreadable | undefined
    const parts = await fetchParts(this.#o.place, this.#state, this.#o.secretKeys).catch((error: unknown) => {
      if (!(error instanceof Unreadable)) throw error
      damaged = error
      return []
    })
    if (parts.length > 0) {
      await this.#apply(this.#state, parts)
      this.#gap = undefined
      this.#hearing.heard(began)
      return true
    }
    if (performance.now() - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = performance.now()
      if (await isLeftBehind(this.#o.place, this.#state, damaged !== undefined)) return this.#copy(copies)
      await this.#listen(this.#state, began)
    }
    const obstacle = damaged ?? this.#gap
    if (obstacle) throw obstacle
    this.#hearing.caughtUp(began)
    return false
  }

  /** What its database says of itself. */
  own(): Own {
    if (!this.#file) throw new Refusal('There is no copy of the database here yet.')
    return epochOf(this.#file)
  }

  /** Throws unless it can become the database: nobody is told that it does before this is known. */
  assertReady(): void {
    const file = this.#file
    if (!file) throw new Refusal('There is no copy of the database here yet.')
    assertFree(this.#o.database)
    file.check()
  }

  /** Notes on disk that it takes an epoch, or that it does not after all. */
  notePromotion(epoch: Epoch | undefined): void {
    if (!this.#state) return
    const { promoting: _, ...state } = this.#state
    this.#state = epoch ? { ...state, promoting: { number: epoch.number, holder: epoch.holder } } : state
    writeStandby(this.#o.database, this.#state)
  }

  /** Makes it the database, with a new epoch. Where that fails, it can follow on. */
  finish(epoch: Epoch): void {
    const { database, from } = this.#o
    const { database: file } = standbyFiles(database)
    this.close()
    try {
      assertSound(file)
      nameDatabase(file, database, epoch)
    } catch (error) {
      this.#file = new StandbyFile(file)
      throw error
    }
    leavePromoted(database, { from, moment: this.#moment, number: this.number })
  }

  /** Ends a copy that is being fetched. */
  stop(): void {
    this.#stopping.abort(new Refusal('The standby was stopped.'))
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }

  #use(file: StandbyFile, state: StandbyState): void {
    this.#file = file
    this.#state = state
    this.#instance = state.instance
    this.#moment = state.moment
    writeStandby(this.#o.database, state)
  }

  /** Whether the place has what was applied last. */
  async #isSameHistory({ from, chain, number, hash }: StandbyState): Promise<boolean> {
    const { place } = this.#o
    try {
      const last = number > 0 ? await place.get(changesName(chain, number)) : undefined
      return number > 0 ? last !== undefined && sha256(last) === hash : (await place.list(`${chain}/`)).length > 0
    } catch (error) {
      throw new Refusal(
        `This standby has followed ${from}. Whether ${this.#o.from} has the same history cannot be seen: ${(error as Error).message}`,
      )
    }
  }

  async #apply(state: StandbyState, parts: readonly Part[]): Promise<void> {
    const files = parts.map(({ file }) => file)
    keepParts(standbyFiles(this.#o.database).parts, { chain: state.chain, first: state.number + 1, files })
    const file = this.#file as StandbyFile
    await file.apply(parts.map(({ changes }) => changes))
    this.#use(file, after(state, parts))
  }

  /** Hears how far the main service is, which is all there is to know of one that nobody uses. */
  async #listen(state: StandbyState, began: number): Promise<void> {
    const { place, secretKeys } = this.#o
    const pulse = await pulseOf(place, state.chain, secretKeys)
    this.#gap = await gapBefore(place, state, pulse)
    if (!pulse || pulse.number !== state.number || pulse.moment === this.#pulse) return
    // The first may be old; the main service's clock may be set back.
    if (this.#pulse !== undefined) this.#hearing.heard(began)
    if (this.#pulse !== undefined || pulse.moment > (this.#moment ?? '')) this.#moment = pulse.moment
    this.#pulse = pulse.moment
  }

  /** Begins with a whole copy, if it may. A copy that turned out to be of no use is not fetched again and again. */
  async #copy(isAllowed: boolean): Promise<true> {
    if (!isAllowed)
      throw new NeedsCopy(
        'A new copy of the database has to be fetched first. Ask again once the standby is following.',
      )
    const copy = await newestCopy(this.#o.place)
    const last = this.#unusable
    if (last && last.copy === copy && performance.now() < last.until) throw last.error
    this.#copying = { bytes: 0, of: 0 }
    try {
      await this.#fetchCopy()
      this.#unusable = undefined
      return true
    } catch (error) {
      if (!this.#stopping.signal.aborted && (error instanceof Unreadable || error instanceof Refusal)) {
        const wait = Math.min((last?.wait ?? COPY_AGAIN_MS / 2) * 2, COPY_AGAIN_MOST_MS)
        this.#unusable = { copy, error, wait, until: performance.now() + wait }
        if (copy)
          this.#o.report(`This copy is of no use; it is fetched again after ${wait / 1000} s, another one at once`)
      }
      throw error
    } finally {
      this.#copying = undefined
    }
  }

  /** Nothing of the former database is touched before the new one is complete. */
  async #fetchCopy(): Promise<void> {
    const { database, from, place, secretKeys, report, onReplace } = this.#o
    const files = standbyFiles(database)
    const target = `${files.database}-next`
    removeFiles(target)
    const { signal } = this.#stopping
    const onBytes = (bytes: number, of: number) => {
      this.#copying = { bytes, of }
    }
    const found = await recoverDatabase(
      { place, secretKeys, target, at: undefined, report, signal, onBytes },
      async (file, reached) => {
        if (this.#instance !== undefined && reached.instance !== this.#instance)
          throw new Refusal(
            `There is another database at the backup place (instance ${reached.instance}), not that of this standby (${this.#instance}): choose another DATA_DIR for it.`,
          )
        this.#assertNewer(reached)
        file.check()
        file.finish()
      },
    )
    for (const one of found.missing) report(one)
    await onReplace()
    this.close()
    // In this order: what is known of the former database must never be taken for that of the new one.
    forgetStandby(database)
    fs.renameSync(target, files.database)
    const { instance, moment, last } = found
    const { promoting } = this.#state ?? {}
    this.#gap = undefined
    this.#pulse = undefined
    this.#use(new StandbyFile(files.database), { from, instance, moment, ...last, ...(promoting && { promoting }) })
  }

  #assertNewer({ last }: Recovered): void {
    const state = this.#state
    if (state && (last.chain < state.chain || (last.chain === state.chain && last.number <= state.number)))
      throw new Unreadable('The newest copy of the database is no newer than what is here.')
  }
}
