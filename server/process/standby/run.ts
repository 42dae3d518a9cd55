import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Refusal } from '../../base/refusal.ts'
import type { Config } from '../../config/config.ts'
import { databaseFile } from '../../db/engine.ts'
import { InUse, lockForService } from '../../db/file.ts'
import { Torn } from '../../db/sqlite-files.ts'
import {
  readStandbyProgress,
  type StandbyProgress,
  standbyFiles,
  writeStandbyProgress,
} from '../../db/standby-state.ts'
import type { NamedFiles } from '../../drivers/named-files/named-files.ts'
import { openNamedFiles } from '../../drivers/named-files/open.ts'
import { createLog } from '../../observe/log.ts'
import { secretKeysOf } from '../../secrets/derive.ts'
import { announcement } from '../announce.ts'
import { Unreadable } from '../backup/format.ts'
import { placeToRead } from '../backup/place.ts'
import type { Running } from '../start.ts'
import { askedFor, askToPromote } from './asked.ts'
import { Follower } from './follower.ts'
import { promote } from './promote.ts'

/** How often the place is asked for more, and the longest pause where that fails, in milliseconds. */
const EVERY_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** How often it is said how far it is. */
const TELL_MS = 1000
const LOG_MS = 60_000
/** When serving is tried again. */
const SERVE_AGAIN_MS = 10_000

/** What an operator has asked for. */
export interface StandbyArguments {
  /** Default: BACKUP_URL. */
  from: string | undefined
  serve: boolean
}

/** The place to follow, and the database that the standby becomes. Throws a Refusal where there is none. */
async function open(config: Config, from: string | undefined) {
  const database = databaseFile(config.databaseUrl)
  if (database === undefined)
    throw new Refusal('DATABASE_URL is PostgreSQL, which has its own standbys: see docs/operations.md.')
  const backup = placeToRead(config, from)
  return { database, from: backup.url, place: await openNamedFiles(backup.url, backup.credentials) }
}

/**
 * Follows what a service stores at its backup place, until it is stopped or promoted; serves reads if asked. Once promoted, a
 * standby that serves goes on as the service. Returns the text to print.
 */
export async function runStandby(config: Config, { from, serve }: StandbyArguments): Promise<string> {
  const opened = await open(config, from)
  const log = createLog(config.logLevel, undefined)
  const standby = new Standby(config, { ...opened, log, serve })
  const stop = () => standby.stop()
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  try {
    return await standby.run()
  } finally {
    opened.place.close()
    log.flush()
  }
}

/** Makes a standby the service, whether or not a process follows just now. Returns the text to print. */
export async function promoteStandby(config: Config, from: string | undefined): Promise<string> {
  const found = databaseFile(config.databaseUrl)
  const progress = found === undefined ? undefined : readStandbyProgress(found)
  const { database, place, ...opened } = await open(config, from ?? progress?.from)
  try {
    if (fs.existsSync(database)) throw new Refusal(`${path.resolve(database)} exists: this is no standby.`)
    for (;;) {
      const unlock = lockUnlessInUse(config)
      if (unlock) {
        try {
          return await promoteHere(config, { database, place, ...opened })
        } finally {
          unlock()
        }
      }
      const said = await askToPromote(database, () => {
        const free = lockUnlessInUse(config)
        free?.()
        return free === undefined
      })
      if (said !== undefined) return said
    }
  } finally {
    place.close()
  }
}

async function promoteHere(config: Config, opened: { database: string; place: NamedFiles; from: string }) {
  const report = (line: string) => void process.stdout.write(`${line}\n`)
  const follower = new Follower({
    ...opened,
    secretKeys: secretKeysOf(config),
    report,
    onReplace: async () => undefined,
  })
  try {
    await follower.open()
    const text = await promote(config, { ...opened, follower, report, onFinish: async () => undefined })
    return `${text}\nStart the service with the same environment.`
  } finally {
    follower.close()
  }
}

function lockUnlessInUse(config: Config): (() => void) | undefined {
  try {
    return lockForService(config.databaseUrl)
  } catch (error) {
    if (error instanceof InUse) return undefined
    throw error
  }
}

interface Given {
  database: string
  from: string
  place: NamedFiles
  log: Logger
  serve: boolean
}

/** A process that follows. */
class Standby {
  readonly #config: Config
  readonly #given: Given
  readonly #follower: Follower
  readonly #stopping = new AbortController()
  #serving: Running | undefined
  #serveAt = 0
  #told = { text: '', at: 0 }
  #loggedAt = Number.NEGATIVE_INFINITY
  #failures = 0

  constructor(config: Config, given: Given) {
    this.#config = config
    this.#given = given
    const { database, from, place, log } = given
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
  }

  async run(): Promise<string> {
    const { database, serve, log } = this.#given
    const unlock = lockForService(this.#config.databaseUrl)
    try {
      if (fs.existsSync(database)) {
        if (!serve || readStandbyProgress(database)?.state !== 'promoted')
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
      const asked = askedFor(this.#given.database)
      if (asked)
        try {
          const text = await this.#promote()
          asked.answer({ text })
          return text
        } catch (error) {
          if (error instanceof Torn) throw error
          asked.answer({ refused: (error as Error).message })
        }
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
    for (let left = ms; left > 0 && !signal.aborted && !askedFor(this.#given.database); left -= EVERY_MS)
      await pause(Math.min(left, EVERY_MS), undefined, { signal }).catch(() => undefined)
  }

  async #step(): Promise<boolean> {
    try {
      const applied = await this.#follower.step()
      this.#failures = 0
      this.#tell('following', null)
      return applied
    } catch (error) {
      if (error instanceof Torn) throw error
      this.#failures = Math.min(this.#failures + 1, 10)
      this.#tell(error instanceof Unreadable ? 'waiting' : 'failing', (error as Error).message)
      return false
    }
  }

  async #promote(): Promise<string> {
    const { database, place, log } = this.#given
    this.#tell('promoting', null)
    const text = await promote(this.#config, {
      follower: this.#follower,
      place,
      database,
      report: (line) => log.warn(line),
      onFinish: () => this.#endServing(),
    })
    this.#tell('promoted', null)
    return text
  }

  /** Says how far it is: in a file each second, in the log when something is new and once a minute. */
  #tell(state: StandbyProgress['state'], error: string | null): void {
    const { database, from, log } = this.#given
    const { moment, number } = this.#follower
    const at = performance.now()
    const text = `${state} ${error}`
    if (text === this.#told.text && at - this.#told.at < TELL_MS) return
    const isNew = text !== this.#told.text
    this.#told = { text, at }
    writeStandbyProgress(database, { state, from, moment, number, error, written: new Date().toISOString() })
    if (!isNew && at - this.#loggedAt < LOG_MS) return
    this.#loggedAt = at
    const behind = moment === null ? null : Math.max(0, (Date.now() - Date.parse(moment)) / 1000)
    const said = { moment, behind_seconds: behind, number, ...(error !== null && { reason: error }) }
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
      this.#serveAt = performance.now() + SERVE_AGAIN_MS
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
