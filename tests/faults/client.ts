import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient, ProblemError } from '../../client/derived.ts'
import type { Random } from './random.ts'

/** What became of a request. Lost: nobody knows whether it was done. */
export type Outcome<T> =
  | { kind: 'done'; value: T }
  | { kind: 'refused'; code: string; detail: string }
  | { kind: 'lost'; why: string }

const REQUEST_MS = 60_000
const AGAIN_MS = 100

export interface Sender {
  /** Sends to a replica that accepts connections, however long that takes. */
  send<T>(call: (client: Client, base: string) => Promise<T>): Promise<Outcome<T>>
  /** Repeats what may be repeated until it is answered. */
  persist<T>(call: (client: Client, base: string) => Promise<T>): Promise<Exclude<Outcome<T>, { kind: 'lost' }>>
}

/** `report` hears of answers that no fault of ours explains. */
export function sender(
  bases: readonly string[],
  token: string,
  random: Random,
  report: (text: string) => void,
): Sender {
  const bounded: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: init?.signal ?? AbortSignal.timeout(REQUEST_MS) })
  const clients = bases.map((baseUrl) => ({ baseUrl, client: createClient({ baseUrl, token, fetch: bounded }) }))
  async function send<T>(call: (client: Client, base: string) => Promise<T>): Promise<Outcome<T>> {
    for (;;) {
      const chosen = random.pick(clients) as (typeof clients)[number]
      try {
        return { kind: 'done', value: await call(chosen.client, chosen.baseUrl) }
      } catch (error) {
        if (isRefusedConnection(error)) {
          await pause(AGAIN_MS)
          continue
        }
        if (!(error instanceof ProblemError)) {
          if (isConnection(error)) return { kind: 'lost', why: whyOf(error) }
          throw error
        }
        const { status, code, detail, request_id } = error.problem
        if (status < 500) return { kind: 'refused', code, detail }
        // The database or the storage went away: perhaps in the midst of a commit.
        if (code === 'busy' && /cannot be reached/.test(detail)) return { kind: 'lost', why: detail }
        if (code === 'busy') return { kind: 'refused', code, detail }
        report(`${status} ${code}: ${detail} (request ${request_id})`)
        return { kind: 'lost', why: `${status} ${code}` }
      }
    }
  }
  return {
    send,
    async persist(call) {
      for (;;) {
        const outcome = await send(call)
        if (outcome.kind !== 'lost') return outcome
        await pause(AGAIN_MS)
      }
    },
  }
}

const codesOf = (error: unknown): string[] => {
  if (!(error instanceof Error)) return []
  const inner = error instanceof AggregateError ? error.errors : [error.cause]
  const own = 'code' in error ? String(error.code) : error.name
  return [own, ...inner.filter((one) => one !== undefined).flatMap(codesOf)]
}
/** Nothing listens, so nothing was sent. */
const isRefusedConnection = (error: unknown): boolean => codesOf(error).includes('ECONNREFUSED')
const CONNECTION = /^(ECONN|EPIPE|UND_ERR|ETIMEDOUT|TimeoutError|AbortError|ERR_STREAM|23|20)/
const isConnection = (error: unknown): boolean =>
  codesOf(error).some((code) => CONNECTION.test(code)) ||
  (error instanceof TypeError && /fetch failed|terminated/.test(error.message)) ||
  // An answer that was cut off.
  error instanceof SyntaxError
const whyOf = (error: unknown): string => codesOf(error).join(' ')
