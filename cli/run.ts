import readline from 'node:readline'
import { Writable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { type Client, ProblemError } from '../client/index.ts'
import { printable } from './places.ts'

/** What a command works with. */
export interface Run {
  client: Client
  json: boolean
  /** How many transfers at once. */
  jobs: number
  progress: Progress
}

/** Counts what is done, and shows it where a person looks on. */
export class Progress {
  files = 0
  bytes = 0
  readonly failures: { path: string; error: string }[] = []
  readonly #started = Date.now()
  readonly #timer: NodeJS.Timeout | undefined
  #shown = false
  constructor(live: boolean) {
    if (live) this.#timer = setInterval(() => this.#show(), 200).unref()
  }
  /** Something went wrong with one of many: it is told at once and the others go on. */
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
    this.#clear()
  }
  #show(): void {
    const rate = this.bytes / Math.max(1, (Date.now() - this.#started) / 1000)
    process.stderr.write(`\r\x1b[K${this.files} done, ${bytesText(this.bytes)}, ${bytesText(rate)}/s`)
    this.#shown = true
  }
  #clear(): void {
    if (this.#shown) process.stderr.write('\r\x1b[K')
    this.#shown = false
  }
}

/** An error in the service's own words, with what its log knows the request by. */
export function describe(error: unknown): string {
  if (error instanceof ProblemError) {
    const { detail, title, code, request_id, errors = [] } = error.problem
    const faults = errors.map(({ path, message }) => `; ${path} ${message}`).join('')
    return `${detail || title || `answered ${error.response.status}`}${faults} (${code}${request_id ? `, request ${request_id}` : ''})`
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

export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const unit = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${unit === 0 ? Math.round(bytes) : (bytes / 1024 ** unit).toFixed(1)} ${units[unit]}`
}

/** Does so many at once, in the order they come; ends with the first error that `work` lets through. */
export async function eachOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  for await (const item of items) {
    const one: Promise<void> = work(item).finally(() => running.delete(one))
    running.add(one)
    // The error is thrown where it is waited for.
    one.catch(() => undefined)
    if (running.size >= most) await Promise.race(running)
  }
  await Promise.all(running)
}

/** A secret from the person at the terminal, unseen; from a pipe all of it. */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await readAll(process.stdin)).replace(/\r?\n$/, '')
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = readline.createInterface({ input: process.stdin, output: silent, terminal: true })
  const answer = await new Promise<string>((resolve) => {
    lines.once('line', resolve)
    lines.once('SIGINT', () => process.exit(130))
  })
  lines.close()
  process.stderr.write('\n')
  return answer
}

/** A line from the person at the terminal. */
export async function ask(question: string): Promise<string> {
  const lines = readline.createInterface({ input: process.stdin, output: process.stderr })
  const answer = await new Promise<string>((resolve) => lines.question(question, resolve))
  lines.close()
  return answer.trim()
}
