import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type BackupProgress,
  fileNow,
  forgetState,
  identityOf,
  readState,
  type Stored,
  writeProgress,
  writeState,
} from '../../db/backup-state.ts'
import { copySqlite, LogFollower, type PageChanges, removeFiles } from '../../db/sqlite-files.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { storeBase } from './base.ts'
import { type Chain, type Pending, storeChanges, storedBefore } from './changes.ts'
import { assertSame, epochOf, Fenced, newestEpoch, recordEpoch } from './epochs.ts'
import { nextChain } from './find.ts'
import { keyFor, sha256 } from './format.ts'
import { PulseWriter } from './pulse.ts'
import { thinOut } from './thin.ts'

const MIB = 1024 * 1024
/** Pages in one file of changes; of one transaction there may be more. */
const MOST_BYTES = 16 * MIB
/** Bytes of the log that are stored without waiting for the time to come. */
const SOON_BYTES = MIB
/** A log that the place has not taken for so long is let go: a new copy of the database follows once it can be written. */
const MOST_WAITING = 256 * MIB
/** Changes since the last copy of the database, beyond its own size, after which there is a new one. */
const LEAST_CHANGES = 64 * MIB
const OLDEST_BASE_MS = 24 * 3600_000
/** How often it is looked whether another instance has taken over, and old files are thinned out. */
const EPOCH_MS = 2000
const THIN_MS = 3600_000
const BASE_AGAIN_MS = 30_000
/** How often it is said that nothing has changed. */
const TELL_MS = 1000

export interface ShipperOptions {
  database: string
  url: string
  place: NamedFiles
  /** The current one first. */
  secretKeys: readonly string[]
  /** Names the current key without revealing it. */
  keyName: string
  /** The longest between two files of changes, in milliseconds. */
  every: number
  now: () => Date
}

/**
 * Keeps the copy at the backup place up to date: a whole copy of the database, and files of what commits have changed since,
 * in order. One for each service, on a thread of its own.
 */
export class Shipper {
  readonly #o: ShipperOptions
  #follower: LogFollower | undefined
  #chain: Chain | undefined
  /** Made and not stored yet: it is stored again until that succeeds. */
  #pending: Pending[] = []
  #reading: Iterator<PageChanges, void, undefined> | undefined
  #lookedAt = 0
  #moment: string | null = null
  #sentAt = 0
  #epochAt = 0
  #thinnedAt = 0
  #base: BackupProgress['base'] = null
  #baseFirst = 0
  #basing: Promise<void> | undefined
  #baseError: Error | null = null
  #baseAgainAt = 0
  readonly #pulse = new PulseWriter()
  readonly #closing = new AbortController()
  #sinceBase = 0
  #sent = { files: 0, bytes: 0 }
  #told = { news: '', at: Number.NEGATIVE_INFINITY }

  constructor(options: ShipperOptions) {
    this.#o = options
  }

  /** Stores what is due. Rejects if that fails; the next call goes on where this one has ended. */
  async step(all = false): Promise<void> {
    const follower = await this.#open()
    if (!this.#chain) await this.#begin(follower)
    const now = this.#o.now().getTime()
    const waiting = follower.waiting()
    const isDue = waiting >= SOON_BYTES || (waiting > 0 && now - this.#sentAt >= this.#o.every)
    if (all || isDue || this.#pending.length > 0) await this.#ship(follower)
    else if (waiting === 0) this.#moment = new Date(now).toISOString()
    if (this.#moment !== null) await this.#pulse.beat(this.#o.place, this.#chain as Chain, this.#moment)
    if (!this.#basing && !all) this.#renewBase()
    if (now - this.#thinnedAt > THIN_MS && !this.#basing) {
      this.#thinnedAt = now
      await thinOut(this.#o.place, this.#o.secretKeys, this.#o.now())
    }
  }

  /** Says how it is getting on, to every process of the service. */
  tell(failure: Error | null): void {
    const { database, url, now } = this.#o
    const error = failure ?? this.#baseError
    const based = this.#chain?.based ?? false
    const at = performance.now()
    const news = [error?.message, based, this.#sent.files].join(' ')
    if (news === this.#told.news && at - this.#told.at < TELL_MS) return
    this.#told = { news, at }
    writeProgress(database, {
      state: error instanceof Fenced ? 'fenced' : error ? 'failing' : based ? 'following' : 'copying',
      moment: based ? this.#moment : null,
      url,
      written: now().toISOString(),
      error: error?.message ?? null,
      base: this.#base,
      sent: this.#sent,
      waiting: this.#follower?.waiting() ?? 0,
    })
  }

  /** Where the place has not taken the log for too long, lets it go; it begins anew once the place can be written. */
  giveUp(): boolean {
    const follower = this.#follower
    if (!follower || follower.logBytes() < MOST_WAITING) return false
    this.#release()
    return true
  }

  /** Ends: what was committed until now has been stored, if `stored`. Nobody else may have the database open. */
  async close(stored: boolean): Promise<void> {
    this.#closing.abort()
    await this.#basing?.catch(() => undefined)
    const { database } = this.#o
    const settled = stored && this.#chain !== undefined && this.#pending.length === 0
    this.#follower?.close()
    this.#follower = undefined
    const state = readState(database)
    if (settled && state) writeState(database, { ...state, file: fileNow(database) })
    this.#o.place.close()
  }

  /**
   * The follower, opened once the place answers: until then it would only keep the log from starting again. Rejects with
   * Fenced if another instance has taken over, as far as the place says.
   */
  async #open(): Promise<LogFollower> {
    const { place, secretKeys, now, database } = this.#o
    const at = performance.now()
    if (this.#follower && at - this.#epochAt < EPOCH_MS) return this.#follower
    const found = await newestEpoch(place, secretKeys)
    this.#follower ??= new LogFollower(database)
    const own = epochOf(this.#follower)
    assertSame(found?.header, own)
    if (!found?.isCurrentKey || found.header.number < own.number)
      await recordEpoch(place, secretKeys[0] as string, own, { found, now: now() })
    this.#epochAt = at
    return this.#follower
  }

  #release(): void {
    this.#follower?.close()
    this.#follower = undefined
    this.#chain = undefined
    this.#pending = []
    this.#reading = undefined
    this.#base = null
    this.#moment = null
    forgetState(this.#o.database)
  }

  /** Continues the chain of an earlier process, or begins a new one. */
  async #begin(follower: LogFollower): Promise<void> {
    const { database, url, keyName, place, secretKeys, now } = this.#o
    const state = readState(database)
    const there = state?.key === keyName && state.url === url ? await storedBefore(place, state) : undefined
    const unchanged = there !== undefined && there.file !== null && identityOf(database) === there.file
    const key = (name: string) => keyFor(secretKeys[0] as string, name)
    if (follower.begin(there?.position, unchanged) && there) {
      const { chain: name, number, hash, position } = there
      this.#chain = { name, key: key(name), number, hash, position, based: true }
      this.#baseFirst = number + 1
      return
    }
    const name = await nextChain(place, epochOf(follower).number, { last: state?.chain, now: now() })
    this.#base = null
    this.#chain = { name, key: key(name), number: 0, hash: sha256(name), position: follower.position, based: false }
    this.#note()
    this.#makeBase()
  }

  async #ship(follower: LogFollower): Promise<void> {
    for (;;) {
      if (this.#pending.length === 0) {
        if (!this.#reading) {
          this.#lookedAt = this.#o.now().getTime()
          this.#reading = follower.read(MOST_BYTES)
        }
        const reading = this.#reading
        // One that fails would say that it is done when it is asked again.
        this.#reading = undefined
        const { value, done } = reading.next()
        if (!done) this.#reading = reading
        else {
          this.#moment = new Date(this.#lookedAt).toISOString()
          break
        }
        // Until the last of a look is stored, only what was known before is sure.
        this.#pending.push({ changes: value, moment: this.#momentOf(value) })
      }
      const [first] = this.#pending
      if (first) await this.#store(first)
      this.#pending.shift()
    }
    this.#sentAt = this.#o.now().getTime()
    for (const changes of follower.tidy(MOST_BYTES, !this.#basing)) {
      this.#pending.push({ changes, moment: this.#momentOf(changes) })
    }
    while (this.#pending[0]) {
      await this.#store(this.#pending[0])
      this.#pending.shift()
    }
  }

  #momentOf = (changes: PageChanges): string =>
    changes.last ? new Date(this.#lookedAt).toISOString() : (this.#moment ?? new Date(0).toISOString())

  async #store(pending: Pending): Promise<void> {
    const { changes, moment } = pending
    const bytes = await storeChanges(this.#o.place, this.#chain as Chain, pending, (next) => this.#note(next))
    this.#moment = moment
    this.#sinceBase += changes.pages.size * changes.pageSize
    this.#sent = { files: this.#sent.files + 1, bytes: this.#sent.bytes + bytes }
    this.#note()
  }

  /** Before something is stored (`storing`), and after it. */
  #note(storing: Stored | null = null): void {
    const { database, url, keyName } = this.#o
    const { name: chain, number, hash, position, based } = this.#chain as Chain
    writeState(database, { key: keyName, url, chain, number, hash, based, position, storing, file: null })
  }

  #renewBase(): void {
    const chain = this.#chain as Chain
    const now = this.#o.now().getTime()
    if (now < this.#baseAgainAt) return
    if (!chain.based) {
      this.#makeBase()
      return
    }
    // Two copies without a change in between are the same.
    if (chain.number < this.#baseFirst) return
    const { size } = fs.statSync(this.#o.database)
    const age = this.#base ? now - Date.parse(this.#base.moment) : 0
    if (this.#sinceBase > Math.max(size, LEAST_CHANGES) || age > OLDEST_BASE_MS) this.#makeBase()
  }

  #makeBase(): void {
    this.#basing = this.#copyAndStore().then(
      () => {
        this.#basing = undefined
        this.#baseError = null
      },
      (error: Error) => {
        this.#basing = undefined
        this.#baseError = error
        this.#baseAgainAt = this.#o.now().getTime() + BASE_AGAIN_MS
      },
    )
  }

  /** A new copy of the database, while changes go on being stored. */
  async #copyAndStore(): Promise<void> {
    const { database, place, now } = this.#o
    const { signal } = this.#closing
    const chain = this.#chain as Chain
    const isOver = () => signal.aborted || this.#chain !== chain
    const at = { key: chain.key, chain: chain.name, first: chain.number + 1, previous: chain.hash }
    const draft = `${database}-backup-copy`
    try {
      await copySqlite(database, draft)
      // The copy may have commits that are not stored yet; with them, it is whole.
      const copied = now().getTime()
      while (!isOver() && !(this.#moment !== null && Date.parse(this.#moment) > copied)) await pause(50)
      if (isOver()) return
      const whole = { number: chain.number, moment: this.#moment as string }
      this.#sinceBase = 0
      const bytes = await storeBase(place, draft, at, { whole, isOver })
      if (isOver()) return
      this.#base = { moment: whole.moment, bytes }
      this.#baseFirst = at.first
      chain.based = true
      this.#note()
    } finally {
      removeFiles(draft)
    }
  }
}
