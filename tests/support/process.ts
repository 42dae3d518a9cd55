import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { until } from './until.ts'

/** What a test that failed has left running would keep the file from ending. */
const running = new Set<ChildProcess>()
// Benchmarks use this file as well.
if (process.env.NODE_TEST_CONTEXT !== undefined)
  after(() => {
    for (const child of running) child.kill('SIGKILL')
  })

/** The server's own program. */
export const MAIN = path.join(import.meta.dirname, '..', '..', 'server', 'main.ts')

const { PATH = '', NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env
/** The environment that a spawned process inherits from the tests: none of their settings. */
export const bareEnv: Readonly<Record<string, string>> = {
  PATH,
  ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
  ...(NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS }),
}

/**
 * Runs a command of the server to its end. What should have been refused, and serves instead, is not waited for: its `code`
 * is null.
 */
export async function strongroom(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { input = '', ...more }: { cwd?: string; uid?: number; input?: string } = {},
) {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...bareEnv, LOG_LEVEL: 'error', ...env }, ...more })
  child.stdin.end(input)
  child.stdout.on('data', (chunk) => void (/serves at/.test(String(chunk)) && child.kill('SIGKILL')))
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { out, err, code: code as number | null }
}

/** A service in a separate process. */
export interface ServerProcess {
  url: string
  child: ChildProcess
  /** Standard output and error so far. */
  log(): string
  /** Sends a signal and resolves with the exit code, or the signal's name. Harmless if the process has ended. */
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
  /** Resident memory in bytes, now and at its peak (Linux). */
  memory(): { rss: number; peak: number }
}

/**
 * Starts `server/main.ts` (or another copy's) with this environment, by default with `serve`, and resolves when it listens;
 * rejects if it exits before. Stop it with `kill` in an `after`; otherwise it ends with this process.
 */
export async function spawnServer(env: Record<string, string>, args = ['serve'], main = MAIN): Promise<ServerProcess> {
  const child = spawn(process.execPath, [main, ...args], { env: { ...bareEnv, ...env } })
  const end = () => void child.kill('SIGKILL')
  process.once('exit', end)
  let log = ''
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  running.add(child)
  exit.then(() => {
    process.off('exit', end)
    running.delete(child)
  })
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      log += chunk
      const match =
        /Strongroom (?:serves at|works in the background; health:) (\S+?)(?:\/readyz)?\s/.exec(log) ??
        /"url":"([^"]+)".*"msg":"Strongroom serves"/.exec(log)
      if (match?.[1]) resolve(match[1])
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    exit.then(([code]) => reject(new Error(`The server exited with ${code}:\n${log}`)), reject)
  })
  return {
    url,
    child,
    log: () => log,
    async kill(signal) {
      child.kill(signal)
      const [code, by] = await exit
      return code ?? by ?? 0
    },
    memory() {
      const status = fs.readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1])
      return { rss: kib('VmRSS') * 1024, peak: kib('VmHWM') * 1024 }
    },
  }
}

/** The processes below one, by /proc; none where it has ended. */
export function childrenOf(pid: number): number[] {
  try {
    return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** The address of a service's S3 endpoint, which it prints after its own. */
export async function s3UrlOf({ log }: ServerProcess): Promise<URL> {
  const printed = () => /S3 clients, with an access key: (\S+)\n/.exec(log())?.[1]
  await until(() => printed() !== undefined)
  return new URL(printed() ?? '')
}
