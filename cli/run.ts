import readline from 'node:readline'
import { Writable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { type Client, ProblemError } from '../client/index.ts'
import { printable } from './places.ts'

/** What commands work with. */
export interface Run {
  client: Client
  json: boolean
  /** Number of parallel transfers. */
  jobs: number
  progress: Progress
}

/** Counts what is done, and displays it on a terminal. */
export class Progress {
  files = 0
  bytes = 0
  readonly failures: { path: string; error: string }[] = []
  readonly #started = Date.now()
  #timer: NodeJS.Timeout | undefined
  #shown = false
  /** What is displayed. */
  line = (): string => {
    const rate = this.bytes / Math.max(1, (Date.now() - this.#started) / 1000)
    return `${this.files} done, ${bytesText(this.bytes)}, ${bytesText(rate)}/s`
  }
  /** Whether it can be displayed. */
  readonly live: boolean
  constructor(live: boolean) {
    this.live = live
  }
  /** Displays it until `end`. */
  start(): void {
    if (this.live) this.#timer ??= setInterval(() => this.#show(), 200).unref()
  }
  /** Reports the failure of one of many transfers; the others continue. */
  fail(path: string, error: unknown): void {
    this.failures.push({ path, error: describe(error) })
    this.note(`${printable(path)}: ${describe(error)}`)
  }
  note(text: string): void {
    this.#clear()
    process.stderr.write(`strongroom: ${printable(text)}\n`)
  }
  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#clear()
  }
  #show(): void {
    process.stderr.write(`\r\x1b[K${this.line()}`)
    this.#shown = true
  }
  #clear(): void {
    if (this.#shown) process.stderr.write('\r\x1b[K')
    this.#shown = false
  }
}

/** An error in the service's own words, with the request id for its log. */
export function describe(error: unknown): string {
  if (error instanceof ProblemError) {
    const { detail, title, code, request_id, errors = [] } = error.problem
    const faults = errors.map(({ path, message }) => `; ${path} ${message}`).join('')
    return `${detail || title || `status ${error.response.status}`}${faults} (${code}${request_id ? `, request ${request_id}` : ''})`
  }
  const { message, cause } = error as Error
  if (error instanceof TypeError && message === 'fetch failed')
    return `The service cannot be reached: ${(cause as Error | undefined)?.message || (cause as NodeJS.ErrnoException)?.code || message}`
  return message
}

/** Text to standard output; waits where the reader is slow. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())))
}

/** The same of bytes. */
export function printBytes(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(bytes, (error) => (error ? reject(error) : resolve())))
}

export const objectsText = (count: number): string => `${count} object${count === 1 ? '' : 's'}`

export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const unit = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${unit === 0 ? Math.round(bytes) : (bytes / 1024 ** unit).toFixed(1)} ${units[unit]}`
}

/** Processes items in order with limited concurrency; stops at the first error that `work` throws. */
export async function eachOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  for await (const item of items) {
    const one: Promise<void> = work(item).finally(() => running.delete(one))
    running.add(one)
    // The error is thrown where it is awaited.
    one.catch(() => undefined)
    if (running.size >= most) await Promise.race(running)
  }
  await Promise.all(running)
}

/** What a pipe has sent and nobody has taken. */
let piped: Promise<string> | undefined
/** All that is left of a pipe, or its first line; empty at its end, however often it is asked. */
async function takePiped(what: 'line' | 'all'): Promise<string> {
  piped ??= readAll(process.stdin)
  const text = await piped
  const end = what === 'line' ? text.indexOf('\n') : -1
  piped = Promise.resolve(end < 0 ? '' : text.slice(end + 1))
  return (end < 0 ? text : text.slice(0, end)).replace(/\r?\n?$/, '')
}

/** Reads a secret without echo; from a pipe, reads the rest of it. */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return takePiped('all')
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = readline.createInterface({ input: process.stdin, output: silent, terminal: true })
  const answer = await new Promise<string>((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(''))
    lines.once('SIGINT', () => process.exit(130))
  })
  lines.close()
  process.stderr.write('\n')
  return answer
}

/** Reads a line from the terminal or a pipe; an empty one where its input ends. */
export async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await takePiped('line')).trim()
  const lines = readline.createInterface({ input: process.stdin, output: process.stderr })
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.question(question, resolve)
    lines.once('close', () => resolve(undefined))
    lines.once('SIGINT', () => {
      process.stderr.write('\n')
      process.exit(130)
    })
  })
  lines.close()
  if (answer === undefined) process.stderr.write('\n')
  return answer?.trim() ?? ''
}

/** Whether the user agrees: asked on a terminal only, and there only without `--yes`. */
export async function agrees(question: string, yes: boolean): Promise<boolean> {
  if (yes || !process.stdin.isTTY) return true
  return /^y(es)?$/i.test(await ask(`${question} [y/N] `))
}
