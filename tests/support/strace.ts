import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** One system call of any thread. Times are positions in the trace, which is in the order in which the kernel saw them. */
export interface Call {
  name: string
  /** File names as the kernel knows them: of the descriptor, or as passed. Two for a rename. */
  files: string[]
  /** The first 64 bytes that were read or written. */
  bytes: Buffer
  /** How many were read or written. */
  count: number
  began: number
  ended: number
}

const CALLS = ['read', 'write', 'writev', 'pwrite64', 'openat', 'rename', 'unlink', 'fdatasync', 'fsync', 'msync']

/** Traces all threads of a process into a file, until the result is called; undefined if that is not possible. */
async function attach(pid: number, file: string): Promise<(() => Promise<unknown>) | undefined> {
  const options = ['-f', '-y', '-s', '64', '-e', `trace=${CALLS.join()}`, '-e', 'signal=none']
  const child = spawn('strace', [...options, '-o', file, '-p', String(pid)])
  const exited = new Promise((resolve) => child.once('close', resolve))
  const said = await new Promise<string>((resolve) => {
    child.once('error', () => resolve(''))
    child.once('close', () => resolve(''))
    child.stderr.once('data', (chunk) => resolve(String(chunk)))
  })
  // Otherwise it says why it cannot.
  if (!/\d attached\b/.test(said)) return undefined
  return () => {
    child.kill('SIGINT')
    return exited
  }
}

/**
 * Why `traced` cannot work here; undefined if it can. It is tried with a process of its own: the tests of other files in this
 * one may be starting and killing children, which would be traced too and could keep strace from letting go.
 */
export async function noStrace(): Promise<string | undefined> {
  const idle = spawn('sleep', ['600'], { stdio: 'ignore' })
  try {
    const end = await attach(idle.pid as number, os.devNull)
    await end?.()
    return end ? undefined : 'needs strace, and permission to trace processes'
  } finally {
    idle.kill('SIGKILL')
  }
}

/** The calls that a process makes to files and sockets during `work`, those that failed left out. Linux. */
export async function traced(pid: number, work: () => Promise<unknown>): Promise<Call[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-strace-'))
  const file = path.join(folder, 'calls')
  try {
    const end = await attach(pid, file)
    if (!end) throw new Error(`strace cannot attach to ${pid}`)
    try {
      await work()
    } finally {
      await end()
    }
    return callsIn(fs.readFileSync(file, 'latin1'))
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function callsIn(trace: string): Call[] {
  const calls: Call[] = []
  const unfinished = new Map<string, { head: string; began: number }>()
  for (const [at, line] of trace.split('\n').entries()) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const head = /^(.*) <unfinished \.\.\.>$/.exec(rest)?.[1]
    if (head !== undefined) {
      unfinished.set(thread, { head, began: at })
      continue
    }
    const tail = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1]
    const before = tail === undefined ? undefined : unfinished.get(thread)
    const call = callIn(before ? before.head + tail : rest, before?.began ?? at, at)
    if (call) calls.push(call)
  }
  return calls.sort((a, b) => a.began - b.began)
}

/** As in `pwrite64(23</data/strongroom.db-wal>, "\0\0\0\1"..., 24, 4152) = 24`. */
function callIn(text: string, began: number, ended: number): Call | undefined {
  const [, name, parameters = '', result = ''] = /^(\w+)\((.*)\) += (\d+)/.exec(text) ?? []
  if (name === undefined) return undefined
  const strings = [...parameters.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inner = '']) => unescaped(inner))
  const byName = name === 'openat' || name === 'rename' || name === 'unlink'
  const descriptor = /^\d+<([^>]*)>/.exec(parameters)?.[1] ?? ''
  return {
    name,
    files: byName ? strings.map((bytes) => bytes.toString()) : [descriptor],
    bytes: byName ? Buffer.alloc(0) : (strings[0] ?? Buffer.alloc(0)),
    count: Number(result),
    began,
    ended,
  }
}

const LETTERS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 }
const unescaped = (inner: string): Buffer =>
  Buffer.from(
    inner.replace(/\\([0-7]{1,3}|.)/g, (_, code: string) =>
      /\d/.test(code)
        ? String.fromCharCode(Number.parseInt(code, 8))
        : String.fromCharCode(LETTERS[code] ?? code.charCodeAt(0)),
    ),
    'latin1',
  )
