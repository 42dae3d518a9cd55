import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { systemActor } from '../access/actors.ts'
import { agentGate } from '../access/agent-limits/gate.ts'
import { createSetupToken } from '../access/auth/setup.ts'
import { createFirstAdmin } from '../access/users/break-glass.ts'
import { stopAll } from '../at-stop.ts'
import { connectionsWithin, hasFilesToSpare, openFilesLimit } from '../base/open-files.ts'
import { machineUptime } from '../base/uptime.ts'
import { useDatabase } from '../blobs/room.ts'
import type { Config } from '../config/config.ts'
import type { Role } from '../config/role.ts'
import { type Ctx, createContext, type System } from '../context.ts'
import { lockForService } from '../db/file.ts'
import type { BlobDriver } from '../drivers/driver.ts'
import { openStorage } from '../drivers/open.ts'
import { assertCacheFolder, tidyCaches } from '../features/images/folder.ts'
import { selfTest as testImages } from '../features/images/render.ts'
import { ownMetrics } from '../features/system/metrics.ts'
import { createApp } from '../fronts/api/app.ts'
import { createS3Server } from '../fronts/s3/server.ts'
import { createLog } from '../observe/log.ts'
import { detached } from '../observe/meter.ts'
import { answerPrimary } from '../observe/processes.ts'
import { blobObserver, processMetrics, telemetryOf } from '../observe/telemetry.ts'
import { openTraces } from '../observe/traces.ts'
import { warmUp } from '../secrets/passwords.ts'
import { endService, raiseFence } from './backup/fence.ts'
import { startBackup } from './backup/run.ts'
import { blobsOf } from './blobs.ts'
import { bootstrap } from './bootstrap.ts'
import { clockBehind, watchClock } from './clock.ts'
import { flushed } from './flush.ts'
import { awaitDatabase } from './instance/await-database.ts'
import { findGap } from './instance/gap.ts'
import { type Accepted, assertMayServe, join } from './instance/join.ts'
import { publish } from './publish.ts'
import { isOfStandby, joinStandby, openToRead, refuseOnStandby } from './standby/reading.ts'
import { openDatabaseOf } from './with-system.ts'
import { runWorker, startWorkers, workersOf } from './workers.ts'
import { turnFromPrimary } from './write-turn.ts'

/** At shutdown, how long keep-alive clients have to send a last request, whose response tells them to reconnect. */
const TURN_MS = 1000

/** What a start did when there was no administrator yet. */
export interface First {
  /** The administrator it created; with the password only when it was generated. */
  admin?: { email: string; password: string | null }
  /** Where to create one, with the token in the fragment. */
  setupLink?: string
}

export interface Running {
  /** The address it listens on, without a trailing slash. */
  url: string
  /** The S3 endpoint's address; null where there is none. */
  s3Url: string | null
  first: First
  /** Runs every worker of its role once to completion, or only the named one: tests use it instead of timers. */
  tick(only?: string): Promise<void>
  /**
   * Stops accepting, finishes requests and workers in flight, closes everything. Where others go on serving
   * (`replaced`), first gives clients time to move to them.
   */
  stop(replaced?: boolean): Promise<void>
}

/**
 * What a start prepares: everything, the schema alone, where it replaces a process of an earlier release, or nothing, where
 * another process just has.
 */
export type Prepares = 'all' | 'schema' | 'nothing'

export interface StartOptions {
  /** Default: all. A background process only answers health checks and metrics. */
  role?: Role
  /** This is one of several processes of one primary, which has the database for them. */
  several?: boolean
  /** Default: all. */
  prepares?: Prepares
  /** Refuses to be the second service on a SQLite file; tests run several on one. */
  alone?: boolean
  accepted?: Accepted
  /** Only answers reads, of a database that is written by whoever follows another service. */
  standby?: boolean
  /** The clock; tests pass their own. */
  now?: () => Date
  /** Milliseconds of elapsed time, independent of the clock; defaults to the machine's, or follows `now` if given. */
  uptime?: () => number
  /** Whether workers run on timers; default true. */
  timers?: boolean
  /** Where log lines go; default: standard output. */
  logTo?: NodeJS.WritableStream
}

/** Starts a whole service; used by the commands and the tests. */
export async function start(asked: Config, options: StartOptions = {}): Promise<Running> {
  const { role = 'all', several = false, standby = false, now = () => new Date(), timers = true } = options
  const prepares = standby ? 'nothing' : (options.prepares ?? 'all')
  const { alone = false, accepted = { newKey: false, newStorage: false } } = options
  const { uptime = options.now ? () => now().getTime() : machineUptime } = options
  const log = createLog(asked.logLevel, options.logTo)
  const config = withinOpenFiles(asked, log)
  if (prepares !== 'nothing') {
    assertCacheFolder(config)
    await awaitDatabase(config.databaseUrl, (line) => log.warn(line))
    await assertMayServe(config, accepted)
  }
  const unlock = alone && !several ? lockForService(config.databaseUrl) : undefined
  await testImages()
  const telemetry = telemetryOf(config)
  telemetry.traces = await openTraces(config, log)
  if (config.metrics !== 'off') processMetrics()
  const turn = several ? turnFromPrimary() : undefined
  const database = await (standby ? openToRead(config) : openDatabaseOf(config, log, { turn }))
  telemetry.pool = database.pool
  useDatabase(config, database)
  if (prepares !== 'nothing') await database.migrate()
  const observe = blobObserver(config)
  const storage = await openStorage(config, observe)
  const pending = new Set<Promise<void>>()
  const background: System['background'] = (work) => {
    const done = (typeof work === 'function' ? detached(work) : work)
      .then(() => undefined)
      .catch((error: unknown) => {
        if (!isOfStandby(error)) log.error({ err: error }, 'background work failed')
      })
      .finally(() => pending.delete(done))
    pending.add(done)
  }
  const fence = alone || several ? await raiseFence(config, database.db, log) : undefined
  const stopping = new AbortController()
  const worksInBackground = role !== 'web'
  const mayWrite = standby ? refuseOnStandby : fence?.mayWrite
  const shared = {
    mayWrite,
    publish,
    agentGate,
    database,
    config,
    now,
    log,
    background,
    worksInBackground,
    stopping: stopping.signal,
  }
  const over = (one: BlobDriver): System => ({ ...shared, blobs: blobsOf(shared, one, observe) })
  const system = over(await (standby ? joinStandby(over(storage), storage) : join(over(storage), storage, accepted)))
  const ctx = createContext(system, systemActor)
  const found = standby ? { noted: null, gap: null } : await findGap(ctx)
  const clockDoubt = watchClock(now, uptime, found)
  if (role !== 'web') {
    const [ahead, behind] = [clockDoubt(), clockBehind(now(), found.noted)]
    if (ahead !== null) log.error(`deletion by age is suspended: ${ahead}`)
    if (behind !== null) log.warn(behind)
  }
  const made = prepares !== 'all' || role === 'background' ? {} : await makeFirst(ctx)
  if (role !== 'background') await warmUp(config.bcryptCost)
  const app = await createApp(system, role)
  const endAnswers = config.metrics === 'off' ? () => undefined : answerPrimary(() => ownMetrics(ctx))
  const address = await app.listen({ host: config.host, port: config.port })
  const s3 = role === 'background' || config.s3.port === null ? undefined : createS3Server(system)
  const s3Url = (await s3?.listen()) ?? null
  const workers = standby ? [] : workersOf(role)
  const running = timers ? startWorkers(ctx, workers, clockDoubt) : undefined
  // A background process may share the folder with several that answer requests, so it does not tidy it.
  if (!several && role !== 'background') background(tidyCaches(config, 1))
  const backup = alone && !several ? startBackup(config, log, endService) : undefined
  return {
    url: address,
    s3Url,
    first: linked(config, address, made),
    async tick(only) {
      await Promise.all(pending)
      const named = only === undefined ? workers : workers.filter(({ name }) => name === only)
      if (named.length === 0) throw new Error(`there is no worker "${only}"`)
      for (const worker of named) {
        await runWorker(worker, ctx, clockDoubt)
        await Promise.all(pending)
      }
    },
    async stop(replaced = false) {
      stopping.abort()
      log.info({ drain_ms: config.drainMs }, 'stopping')
      await pause(replaced ? Math.max(config.drainMs, TURN_MS) : config.drainMs)
      await Promise.all([app.close(), s3?.close()])
      // Where others serve from the same address, nothing ends with this process.
      if (!replaced) await flushed([address, s3Url ?? []].flat().map((url) => Number(new URL(url).port)))
      endAnswers()
      await running?.stop()
      await Promise.all(pending)
      await stopAll(ctx, { writes: !standby })
      fence?.stop()
      await system.blobs.close()
      await database.close()
      await backup?.stop()
      unlock?.()
      await telemetry.traces?.stop()
      log.info('stopped')
      log.flush()
    },
  }
}

/** What the file driver keeps open where there are enough. */
const FOLDERS = 256
/** The same configuration, with no more connections than this process may have files open. */
function withinOpenFiles(config: Config, log: Logger): Config {
  const limit = openFilesLimit()
  const kept = hasFilesToSpare() && !config.storageUrl.startsWith('s3:') ? FOLDERS : 0
  const maxConnections = connectionsWithin(limit, config.maxConnections, kept)
  if (maxConnections === undefined) return config
  // Without a limit of its own, what there are enough files for is not worth a line.
  if (config.maxConnections > 0 || kept === 0)
    log.warn(
      { open_files: limit, max_connections: maxConnections },
      `only ${limit} files may be open (ulimit -n), so at most ${maxConnections} connections are accepted: raise the limit, for example with LimitNOFILE=65536`,
    )
  return { ...config, maxConnections }
}

/** What a start has created, before the listening address is known. */
type Made = Pick<First, 'admin'> & { setupToken?: string }

async function makeFirst(ctx: Ctx): Promise<Made> {
  const admin = await createFirstAdmin(ctx)
  await bootstrap(ctx)
  const setupToken = await createSetupToken(ctx)
  return { ...(admin ? { admin } : {}), ...(setupToken === undefined ? {} : { setupToken }) }
}

/** The same with a setup link for people, for a service that listens on `address`. */
const linked = ({ port, publicBaseUrl }: Config, address: string, { setupToken, ...made }: Made): First => ({
  ...made,
  ...(setupToken === undefined
    ? {}
    : { setupLink: `${port === 0 ? address : publicBaseUrl}/console/setup#${setupToken}` }),
})
