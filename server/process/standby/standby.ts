import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Refusal } from '../../base/refusal.ts'
import type { Config } from '../../config/config.ts'
import { lockForService } from '../../db/file.ts'
import { Torn } from '../../db/sqlite-files.ts'
import { type StandbyProgress, standbyFiles, standbyLag, writeStandbyProgress } from '../../db/standby-state.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { secretKeysOf } from '../../secrets/derive.ts'
import { announcement } from '../announce.ts'
import { Unreadable } from '../backup/format.ts'
import type { Running } from '../start.ts'
import { type Request, Requests } from './asked.ts'
import { Follower } from './follower.ts'
import { isUnfinished, promote } from './promote.ts'
import { wasPromoted } from './promoted.ts'

/** How often the place is asked for more, and the longest pause where that fails, in milliseconds. */
const EVERY_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** How often it is said how far it is. */
const TELL_MS = 1000
const LOG_MS = 60_000
/** When serving, or finishing a promotion, is tried again. */
const AGAIN_MS = 10_000

interface Given {
  database: string
  from: string
  place: NamedFiles
  log: Logger
  serve: boolean
}

/** A process that follows. */
export class Standby {
  readonly #config: Config
  readonly #given: Given
  readonly #follower: Follower
  readonly #requests: Requests
  readonly #stopping = new AbortController()
  #serving: Running | undefined
  #serveAt = 0
  #finishAt = 0
  #told = { text: '', at: 0 }
  #loggedAt = Number.NEGATIVE_INFINITY
  #failures = 0

  constructor(config: Config, given: Given) {
    this.#config = config
    this.#given = given
    const { database, from, place, log } = given
    this.#requests = new Requests(database)
    this.#follower = new Follower({
      database,
      from,
      place,
      secretKeys: secretKeysOf(config),
      report: (line) => log.info(line),
      onReplace: () => this.#endServing(),
    })
  }

  stop(): void {
    this.#stopping.abort()
    this.#follower.stop()
  }

  async run(): Promise<string> {
    const { database, serve, log } = this.#given
    const unlock = lockForService(this.#config.databaseUrl)
    try {
      if (fs.existsSync(database)) {
        if (!wasPromoted(database) || !serve)
          throw new Refusal(
            `${path.resolve(database)} exists. A standby makes its own database: choose another DATA_DIR, or move it away.`,
          )
        log.info('this standby was promoted earlier')
      } else {
        await this.#follower.open()
        const promoted = await this.#follow()
        if (promoted === undefined) return 'The standby has stopped.'
        if (!serve) return `${promoted}\nStart the service with the same environment.`
      }
    } finally {
      await this.#endServing()
      this.#follower.close()
      unlock()
    }
    await this.#serveAsMain()
    return 'The service has stopped.'
  }

  /** Until it is stopped, or promoted: then what there is to say. */
  async #follow(): Promise<string | undefined> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const applied = await this.#step()
      const promoted = (await this.#finishPromotion()) ?? (await this.#answer(this.#requests.look()))
      if (promoted !== undefined) return promoted
      await this.#serveReads()
      if (applied) continue
      const ms = this.#failures === 0 ? EVERY_MS : Math.min(LONGEST_PAUSE_MS, EVERY_MS * 2 ** this.#failures)
      await this.#wait(ms)
    }
    return undefined
  }

  /** Waits, but not for long once somebody wants it to be promoted. */
  async #wait(ms: number): Promise<void> {
    const { signal } = this.#stopping
    for (let left = ms; left > 0 && !signal.aborted && !this.#requests.look(); left -= EVERY_MS)
      await pause(Math.min(left, EVERY_MS), undefined, { signal }).catch(() => undefined)
  }

  async #step(): Promise<boolean> {
    // A copy may take long: meanwhile it is said how far it is.
    const timer = setInterval(() => this.#tellOfCopy(), EVERY_MS)
    try {
      const applied = await this.#follower.step()
      this.#failures = 0
      this.#tell('following', null)
      return applied
    } catch (error) {
      if (error instanceof Torn) throw error
      if (this.#stopping.signal.aborted) return false
      this.#failures = Math.min(this.#failures + 1, 10)
      const isOfFiles = error instanceof Unreadable || error instanceof Refusal
      this.#tell(isOfFiles ? 'waiting' : 'failing', (error as Error).message)
      return false
    } finally {
      clearInterval(timer)
    }
  }

  #tellOfCopy(): void {
    const { copying } = this.#follower
    if (!copying) return
    this.#tell('copying', null)
    const percent = copying.of > 0 ? Math.floor((copying.bytes / copying.of) * 100) : 0
    this.#requests.look()?.answer({
      refused: `A copy of the database is being fetched (${percent} %). Ask again once the standby is following.`,
    })
  }

  /** What there is to say if it was promoted because of a request. */
  async #answer(asked: Request | undefined): Promise<string | undefined> {
    const { from } = this.#given
    if (!asked) return undefined
    try {
      if (asked.from !== null && asked.from !== from)
        throw new Refusal(`This standby follows ${from}, and not ${asked.from}.`)
      const text = await this.#promote(asked)
      asked.answer({ text })
      return text
    } catch (error) {
      if (error instanceof Torn) throw error
      asked.answer({ refused: (error as Error).message })
      return undefined
    }
  }

  /** Finishes a promotion in the middle of which a process was killed, once it is sure that it took the epoch. */
  async #finishPromotion(): Promise<string | undefined> {
    const { place, log } = this.#given
    const follower = this.#follower
    if (!follower.promoting || performance.now() < this.#finishAt) return undefined
    try {
      if (!(await isUnfinished(this.#config, { follower, place }))) return undefined
      return await this.#promote({ supersede: false, isWanted: async () => true })
    } catch (error) {
      if (error instanceof Torn) throw error
      this.#finishAt = performance.now() + AGAIN_MS
      log.error({ err: error }, 'the promotion that was interrupted cannot be finished')
      return undefined
    }
  }

  async #promote({ supersede, isWanted }: Pick<Request, 'supersede' | 'isWanted'>): Promise<string> {
    const { database, place, log } = this.#given
    this.#tell('promoting', null)
    return promote(this.#config, {
      follower: this.#follower,
      place,
      database,
      supersede,
      copies: false,
      isWanted,
      report: (line) => log.warn(line),
      onFinish: () => this.#endServing(),
    })
  }

  /** Says how far it is: in a file each second, in the log when something is new and once a minute. */
  #tell(state: StandbyProgress['state'], error: string | null): void {
    const { database, from, log } = this.#given
    const { moment, number, hearing } = this.#follower
    const at = performance.now()
    const text = `${state} ${error}`
    if (text === this.#told.text && at - this.#told.at < TELL_MS) return
    const isNew = text !== this.#told.text
    this.#told = { text, at }
    writeStandbyProgress(database, { state, from, moment, number, fresh: hearing.fresh, error })
    if (!isNew && at - this.#loggedAt < LOG_MS) return
    this.#loggedAt = at
    const said = { moment, behind_seconds: standbyLag(hearing), number, ...(error !== null && { reason: error }) }
    if (error === null) log.info(said, `the standby is ${state}`)
    else log.error(said, `the standby is ${state}`)
  }

  async #serveReads(): Promise<void> {
    const { database, serve, log } = this.#given
    if (!serve || this.#serving || this.#follower.moment === null || performance.now() < this.#serveAt) return
    const config = {
      ...this.#config,
      databaseUrl: `sqlite:${standbyFiles(database).database}`,
      backup: null,
      standbyOf: database,
    }
    try {
      const { start } = await import('../start.ts')
      this.#serving = await start(config, { role: 'web', standby: true })
      process.stdout.write(announcement(config.announce, { ...this.#serving, processes: 1 }))
    } catch (error) {
      this.#serveAt = performance.now() + AGAIN_MS
      log.error({ err: error }, 'the standby cannot serve reads')
    }
  }

  async #endServing(): Promise<void> {
    const serving = this.#serving
    this.#serving = undefined
    await serving?.stop()
  }

  /** Serves as the instance that may write, until it is stopped. */
  async #serveAsMain(): Promise<void> {
    const { start } = await import('../start.ts')
    const { signal } = this.#stopping
    const running = await start(this.#config, { alone: true })
    process.stdout.write(announcement(this.#config.announce, { ...running, processes: 1 }))
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await running.stop()
  }
}
