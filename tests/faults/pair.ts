import { type ChildProcess, execFile, fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { readConfig } from '../../server/config/config.ts'
import { type Gateway, newBucket, noGateway, startCeph } from '../support/ceph.ts'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'
import { bareEnv, childrenOf } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'

/** One server on SQLite, one of two processes on SQLite, two on PostgreSQL. */
export const PAIRS = ['sqlite+file', 'sqlite-2+file', 'postgres+s3'] as const
export type PairName = (typeof PAIRS)[number]

const SERVE = path.join(import.meta.dirname, 'serve.ts')
const MAIN = path.join(import.meta.dirname, '../../server/main.ts')
/** Short enough that the collector works within a run, long enough for the slowest upload of the load. */
const GRACE_SECONDS = 60

/** One process of the service, which is killed and started again on the same port. */
export interface Replica {
  url: string
  /** Resolves when it listens; how long that took, or null when it was killed before. */
  start(): Promise<number | null>
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
  /** Kills one of its processes, which it starts again by itself; false where it has one, or none at the moment. */
  killProcess(which: number): boolean
  running(): boolean
  /** Ends that nobody asked for. */
  crashes: string[]
  /** Puts its clock forward by milliseconds, also after the next start. */
  setClock(offset: number): Promise<void>
}

/** An engine pair with its replicas, in a folder of its own. */
export interface Pair {
  name: PairName
  folder: string
  env: Record<string, string>
  replicas: Replica[]
  postgres: Postgres | undefined
  gateway: Gateway | undefined
  logs: string
  /** Runs a command alongside the service. */
  command(...words: string[]): Promise<{ code: number; output: string }>
  /** Ends everything; `keep` leaves the folder with the logs of the servers. */
  stop(keep: boolean): Promise<void>
}

/** Undefined with a reason where an engine is not installed. */
export async function openPair(
  name: PairName,
  more: { env?: Record<string, string>; folder?: string } = {},
): Promise<Pair | { missing: string }> {
  const folder = more.folder ?? fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-faults-'))
  const logs = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-faults-logs-'))
  let postgres: Postgres | undefined
  let gateway: Gateway | undefined
  const env: Record<string, string> = {
    ...serverEnv(folder),
    GRACE_SECONDS: String(GRACE_SECONDS),
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.1',
    WEBHOOK_TIMEOUT_SECONDS: '5',
    WEBHOOK_RETRY_SCHEDULE_SECONDS: '5,5,5,5,5,5,5,5,5',
    WEBHOOK_MAX_ATTEMPTS: '10',
    // Starts are what a run spends most of its time on.
    NODE_COMPILE_CACHE: path.join(os.tmpdir(), `strongroom-faults-cache-${process.getuid?.() ?? 0}`),
  }
  if (name === 'postgres+s3') {
    gateway = await startCeph()
    if (!gateway) return { missing: noGateway }
    postgres = await startPostgres()
    const { accessKeyId, secretAccessKey } = gateway.credentials
    env.DATABASE_URL = (await createDatabase(postgres.url)).url
    env.STORAGE_URL = newBucket(gateway)
    env.S3_ACCESS_KEY_ID = accessKeyId
    env.S3_SECRET_ACCESS_KEY = secretAccessKey
  }
  if (name === 'sqlite-2+file') env.PROCESSES = '2'
  Object.assign(env, more.env)
  const replicas = await Promise.all(
    Array.from({ length: name === 'postgres+s3' ? 2 : 1 }, (_, n) =>
      makeReplica(env, path.join(logs, `server-${n}.log`)),
    ),
  )
  return {
    name,
    folder,
    env,
    replicas,
    postgres,
    gateway,
    logs,
    command: (...words) =>
      new Promise((resolve) => {
        const options = { env: { ...bareEnv, ...env }, maxBuffer: 64 * 1024 ** 2 }
        execFile(process.execPath, [MAIN, ...words], options, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
        )
      }),
    async stop(keep) {
      for (const replica of replicas) await replica.kill('SIGKILL')
      await postgres?.stop()
      await gateway?.stop()
      if (!more.folder) fs.rmSync(folder, { recursive: true, force: true })
      if (!keep) fs.rmSync(logs, { recursive: true, force: true })
    },
  }
}

/** What the service's own configuration makes of it, with the grace period that the servers run with. */
export const configOf = ({ env }: Pair) => ({
  ...readConfig({ ...env, LOG_LEVEL: 'silent' }),
  blobGraceSeconds: GRACE_SECONDS,
})
export { ADMIN }

async function makeReplica(env: Record<string, string>, logFile: string): Promise<Replica> {
  const port = await freePort()
  const log = fs.openSync(logFile, 'a')
  let child: ChildProcess | undefined
  let offset = 0
  let asked: NodeJS.Signals | undefined
  const crashes: string[] = []
  let over = false
  process.once('exit', () => child?.kill('SIGKILL'))
  const replica: Replica = {
    url: `http://127.0.0.1:${port}`,
    running: () => child !== undefined,
    crashes,
    async start() {
      const began = performance.now()
      const own = fork(SERVE, {
        env: { ...bareEnv, ...env, PORT: String(port), CLOCK_OFFSET: String(offset) },
        execArgv: ['--max-semi-space-size=4'],
        stdio: ['ignore', 'pipe', log, 'ipc'],
      })
      child = own
      asked = undefined
      return new Promise((resolve) => {
        own.stdout?.on('data', (chunk: Buffer) => {
          fs.writeSync(log, chunk)
          if (String(chunk).includes('Strongroom serves at')) resolve(performance.now() - began)
        })
        own.on('exit', (code, signal) => {
          child = undefined
          resolve(null)
          if (asked !== undefined || over) return
          crashes.push(`a server ended by itself with ${code ?? signal}: see ${logFile}`)
          // The load continues only if a server answers.
          setTimeout(() => child ?? replica.start(), 500)
        })
      })
    },
    async kill(signal) {
      over = signal === 'SIGTERM'
      const own = child
      if (!own) return 0
      asked = signal
      const exited = once(own, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
      own.kill(signal)
      const [code, by] = await exited
      return code ?? by ?? 0
    },
    killProcess(which) {
      const processes = env.PROCESSES && child?.pid ? childrenOf(child.pid) : []
      const pid = processes[which % processes.length]
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
      return pid !== undefined
    },
    async setClock(ms) {
      offset = ms
      if (!child) return
      const answered = once(child, 'message')
      child.send({ clock: ms })
      await answered
    },
  }
  return replica
}

/** Below the ephemeral ports, which an outgoing connection could take while the server is dead. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(11_000, 19_500)
    const probe = net.createServer().listen(port, '127.0.0.1')
    const free = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!free) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}
