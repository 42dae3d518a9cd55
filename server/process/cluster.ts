import cluster, { type Worker } from 'node:cluster'
import { on, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../base/refusal.ts'
import type { Config } from '../config/config.ts'
import type { Share } from '../config/share.ts'
import { lockForService } from '../db/file.ts'
import { assertCacheFolder, tidyCaches } from '../features/images/folder.ts'
import { createLog } from '../observe/log.ts'
import { collectForProcesses } from '../observe/processes.ts'
import type { Announcement } from './announce.ts'
import { startBackup } from './backup/run.ts'
import type { Prepares, Running } from './start.ts'
import { handOutTurns } from './write-turn.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000
/** A process that lived this long had started successfully. */
const WELL_MS = 60_000

/** This process's number and the number of processes, where a primary started it. */
export const shareOf = (env: Readonly<Record<string, string | undefined>>): Share =>
  cluster.isWorker ? { n: Number(env.STRONGROOM_PROCESS), of: Number(env.STRONGROOM_PROCESSES) } : { n: 0, of: 1 }

/** Whether a primary started this process. */
export const isOneOfSeveral = (): boolean => cluster.isWorker

/** What this process has to prepare, where a primary started it. */
export const preparesOf = (env: Readonly<Record<string, string | undefined>>): Prepares =>
  cluster.isWorker ? (env.STRONGROOM_PREPARES as Prepares) : 'all'

/**
 * Serves with `count` processes on one address, to use all CPUs; a process that exits is restarted. SIGTERM and SIGINT
 * stop them all; SIGHUP replaces them one by one while the others serve. `announce` is called once with their address.
 * Resolves with the exit code; rejects when the first processes fail to start.
 */
export async function serveWithProcesses(
  count: number,
  config: Config,
  announce: (said: Announcement) => void,
): Promise<number> {
  const log = createLog(config.logLevel, undefined)
  assertCacheFolder(config)
  const unlock = lockForService(config.databaseUrl)
  handOutTurns()
  const processes = new Map<number, Worker>()
  if (config.metrics !== 'off') collectForProcesses(count)
  let stopping = false
  let backup: ReturnType<typeof startBackup>
  let last = Promise.resolve()
  /** One change at a time: a process that is just starting is not replaced. */
  const inTurn = (change: () => Promise<void>): void => {
    last = last.then(change).catch((error: unknown) => log.error({ err: error }, 'processes'))
  }

  const startOne = async (n: number, prepares: Prepares): Promise<Said> => {
    const one = cluster.fork({
      STRONGROOM_PROCESS: String(n),
      STRONGROOM_PROCESSES: String(count),
      STRONGROOM_PREPARES: prepares,
    })
    processes.set(n, one)
    const begun = Date.now()
    const gone = once(one, 'exit').then(() => undefined)
    const said = await Promise.race([announced(one), gone])
    if (said === undefined) throw new Refusal(`Process ${n} exited before it was ready.`)
    void gone.then(() => {
      if (!stopping) inTurn(() => replace(n, one, Date.now() - begun))
    })
    return said
  }
  /** Starts a replacement, retrying until one serves, unless that has happened already. */
  const replace = async (n: number, gone: Worker, lived: number): Promise<void> => {
    if (processes.get(n) !== gone) return
    log.error({ process: n, lived_ms: lived }, 'process exited, restarting')
    let wait = lived > WELL_MS ? 0 : FIRST_PAUSE_MS
    while (!stopping) {
      await pause(wait)
      if (stopping) return
      try {
        return void (await startOne(n, 'nothing'))
      } catch (error) {
        wait = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, wait * 2))
        log.error({ err: error, process: n, again_in_ms: wait }, 'process failed to start')
      }
    }
  }
  /** Stops a process (SIGHUP while others go on); resolves when it has exited, with whether it exited cleanly. */
  const end = async (one: Worker, how: 'SIGTERM' | 'SIGHUP'): Promise<boolean> => {
    if (one.isDead()) return true
    const gone = once(one, 'exit')
    one.process.kill(how)
    const [code, signal] = (await gone) as [number | null, string | null]
    // Killed by the signal itself: it had not installed its handler yet.
    return code === 0 || signal === how
  }
  const turn = async (): Promise<void> => {
    for (let n = 0; n < count && !stopping; n++) {
      const former = processes.get(n)
      try {
        // It may be of a later release.
        await startOne(n, n === 0 ? 'schema' : 'nothing')
      } catch (error) {
        // The running process stays: a faulty release does not take the service down.
        log.error({ err: error, process: n }, 'replacement process failed to start')
        if (former && !former.isDead()) processes.set(n, former)
        return
      }
      if (former) await end(former, 'SIGHUP')
    }
    log.info('all processes replaced')
  }

  const { promise: over, resolve } = Promise.withResolvers<number>()
  const stop = (): void => {
    if (stopping) return
    stopping = true
    log.info('stopping')
    const all = Object.values(cluster.workers ?? {}).flatMap((one) => one ?? [])
    void Promise.all(all.map((one) => end(one, 'SIGTERM'))).then(async (ended) => {
      await backup?.stop()
      unlock()
      resolve(ended.every(Boolean) ? 0 : 1)
    })
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  try {
    const said = await startOne(0, 'all')
    if (!stopping) backup = startBackup(config, log, stop)
    await Promise.all(Array.from({ length: count - 1 }, (_, i) => startOne(i + 1, 'nothing')))
    announce({ ...said, processes: count })
    inTurn(() => tidyCaches(config, count))
  } catch (error) {
    if (stopping) return over
    stop()
    await over
    throw error
  }
  process.on('SIGHUP', () => inTurn(turn))
  return over
}

/** What a process says once it listens: where, which is the same for all of them, and what it made. */
type Said = Pick<Running, 'url' | 's3Url' | 'first'>

/** Waits for what a process says; metrics may be scraped before. */
async function announced(one: Worker): Promise<Said> {
  for await (const [said] of on(one, 'message') as AsyncIterable<[Partial<Said> | null]>)
    if (typeof said?.url === 'string') return said as Said
  throw new Error('A process exited before it was ready')
}

/** Tells the primary where this process listens. */
export const announceToPrimary = ({ url, s3Url, first }: Said): void => void process.send?.({ url, s3Url, first })

/**
 * For a process that has stopped listening: resolves once the primary knows and has taken back the connections it sent
 * here meanwhile. Exiting at once would drop them.
 */
export async function leavePrimary(): Promise<void> {
  if (!cluster.worker?.isConnected()) return
  const left = once(process, 'disconnect')
  cluster.worker.disconnect()
  await left
}
