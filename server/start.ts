import { warmUp } from './auth/passwords.ts'
import { openStorage } from './blobs/open.ts'
import type { Config } from './config.ts'
import { createContext, type System, systemActor } from './context.ts'
import { openDatabase } from './db/open.ts'
import { createApp } from './http/app.ts'
import { selfTest as testImages } from './images/service.ts'
import { createLog } from './log.ts'
import { createFirstAdmin } from './users/break-glass.ts'
import { startWorkers, workers } from './workers.ts'

export interface Running {
  /** Where it listens, without a trailing slash. */
  url: string
  /** The first administrator, when this start made one; the password only when it was generated. */
  firstAdmin: { email: string; password: string | null } | undefined
  /** Runs every worker once: what tests do instead of waiting for timers. */
  tick(): Promise<void>
  /** Stops accepting, finishes requests and workers in flight, closes everything. */
  stop(): Promise<void>
}

export interface StartOptions {
  /** The clock; tests give their own. */
  now?: () => Date
  /** Whether workers run on timers; default true. */
  timers?: boolean
  /** Where log lines go; default standard output. */
  logTo?: NodeJS.WritableStream
}

/** Starts a whole service of this configuration: the commands and the tests both use it. */
export async function start(config: Config, options: StartOptions = {}): Promise<Running> {
  const { now = () => new Date(), timers = true } = options
  const log = createLog(config.logLevel, options.logTo)
  await testImages()
  const database = await openDatabase(config.databaseUrl, (error) => log.warn({ err: error }, 'database'))
  await database.migrate()
  const blobs = await openStorage(config)
  const pending = new Set<Promise<void>>()
  const background = (work: Promise<unknown>): void => {
    const done = work
      .then(() => undefined)
      .catch((error: unknown) => log.error({ err: error }, 'work in the background failed'))
      .finally(() => pending.delete(done))
    pending.add(done)
  }
  const stopping = new AbortController()
  const system: System = { database, blobs, config, now, log, background, stopping: stopping.signal }
  const ctx = createContext(system, systemActor)
  const firstAdmin = await createFirstAdmin(ctx)
  await warmUp(config.bcryptCost)
  const app = await createApp(system)
  const address = await app.listen({ host: config.host, port: config.port })
  const running = timers ? startWorkers(ctx) : undefined
  return {
    url: address,
    firstAdmin,
    async tick() {
      for (const worker of workers) await worker.run(ctx)
      await Promise.all(pending)
    },
    async stop() {
      stopping.abort()
      await app.close()
      await running?.stop()
      await Promise.all(pending)
      await blobs.close()
      await database.close()
      log.flush()
    },
  }
}
