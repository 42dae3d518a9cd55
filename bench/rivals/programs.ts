import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** How long a server may take until it answers. */
const START_MS = 60_000
/** After which a server that was asked to stop is killed. */
const STOP_MS = 20_000

/** Ports that nobody listens on now. Below 50,000: some servers listen on a second one, 10,000 above. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  for (let port = 20_000 + Math.floor(Math.random() * 20_000); ports.length < count; port++) {
    if ((await isFree(port)) && (await isFree(port + 10_000))) ports.push(port)
  }
  return ports
}
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = net.createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

export interface Program {
  pid: number
  /** Throws with the end of what the program wrote if it has ended. */
  assertRuns(): void
  stop(): Promise<void>
}

/** Starts a server on some CPUs (as `taskset -c` takes them; all when undefined). What it writes goes into a file. */
export function start(
  name: string,
  [file = '', ...args]: readonly string[],
  { folder, env, cpus, cwd }: { folder: string; env: Record<string, string>; cpus: string | undefined; cwd?: string },
): Program {
  const log = path.join(folder, `${name}.log`)
  const out = fs.openSync(log, 'w')
  const [program, ...all] = cpus === undefined ? [file, ...args] : ['taskset', '-c', cpus, file, ...args]
  const child: ChildProcess = spawn(program as string, all, {
    cwd: cwd ?? folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    stdio: ['ignore', out, out],
  })
  fs.closeSync(out)
  let failed = ''
  child.on('error', (error) => {
    failed = error.message
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = () => failed !== '' || child.exitCode !== null || child.signalCode !== null
  return {
    pid: child.pid ?? 0,
    assertRuns() {
      if (ended()) throw new Error(`${name} ended: ${failed}\n${fs.readFileSync(log, 'utf8').slice(-4000)}`)
    },
    async stop() {
      process.off('exit', kill)
      if (ended()) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(kill, STOP_MS)
      await exited
      clearTimeout(late)
    },
  }
}

/** Keeps a process, and all that it starts from now on, on some CPUs. */
export function pin(pid: number, cpus: string | undefined): void {
  if (cpus !== undefined) execFileSync('taskset', ['-cp', cpus, String(pid)])
}

/** Tries something until it succeeds. Throws what it threw last when the program ended or the time is over. */
export async function eventually<T>(program: Program, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + START_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      program.assertRuns()
      if (performance.now() > until) throw error
      await pause(100)
    }
  }
}
