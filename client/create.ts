import type { NumberedPage, Operations, Page } from './operations.ts'
import { pause } from './pause.ts'
import { type Attempted, pauseAfter, type RetryOptions } from './retry.ts'
import { routes, type Sent } from './routes.ts'
import { ProblemError, send, type UntypedCall } from './send.ts'
import { type Session, trimmed } from './session.ts'

export interface ClientOptions {
  /** The service's URL, without `/api/v1`. */
  baseUrl: string
  /** A personal access token, a function that returns the current credential, or a session from `signIn`. */
  token?: string | (() => string | undefined | Promise<string | undefined>) | Session
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch
  /** How calls that can safely be repeated are retried, after 429, 503 and lost connections. */
  retry?: RetryOptions
}

export interface CallOptions {
  headers?: Record<string, string>
  signal?: AbortSignal
}
export type OperationName = keyof Operations
/** The arguments of an operation's call. */
export type Call<N extends OperationName> = Operations[N]['call'] & CallOptions
/** An operation's result: parsed JSON, or a Response for bytes. */
export type Reply<N extends OperationName> = Operations[N]['reply']

/** An item of a list operation; never for all others. */
export type Item<N extends OperationName> = Reply<N> extends Page<infer T> | NumberedPage<infer T> ? T : never
type Lists = { [N in OperationName as [Item<N>] extends [never] ? never : N]: Operations[N] }

export type Client = {
  readonly [N in keyof Operations]: object extends Operations[N]['call']
    ? (call?: Call<N>) => Promise<Reply<N>>
    : (call: Call<N>) => Promise<Reply<N>>
} & {
  /** Every list as an iterator over all its items, fetched page by page on demand. */
  readonly all: {
    readonly [N in keyof Lists]: object extends Operations[N]['call']
      ? (call?: Call<N>) => AsyncIterableIterator<Item<N>>
      : (call: Call<N>) => AsyncIterableIterator<Item<N>>
  }
  readonly baseUrl: string
  /** The underlying fetch; it adds no credential. */
  readonly fetch: typeof fetch
  readonly retry: RetryOptions
}

/** Creates a client with a function for each operation of the service. Error responses are thrown as ProblemError. */
export function createClient(given: ClientOptions): Client {
  const options = trimmed(given)
  const calls: Record<string, (call?: UntypedCall) => Promise<unknown>> = {}
  const all: Record<string, (call?: UntypedCall) => AsyncIterableIterator<unknown>> = {}
  for (const [name, route] of Object.entries(routes)) {
    const call = (input: UntypedCall = {}) => perform(options, name as OperationName, input)
    calls[name] = call
    if (route.pages)
      all[name] = route.pages === 'cursor' ? byCursor(call, route.limit ? { limit: LONGEST_PAGE } : {}) : byNumber(call)
  }
  return {
    ...calls,
    all,
    baseUrl: options.baseUrl,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    retry: options.retry ?? {},
  } as unknown as Client
}

async function perform(options: ClientOptions, name: OperationName, input: UntypedCall): Promise<unknown> {
  const [route, call] = placed(name, input)
  const { token } = options
  const session = typeof token === 'object' ? token : undefined
  const attempted: Attempted = {
    name,
    method: route.method,
    streams: typeof ReadableStream !== 'undefined' && call.body instanceof ReadableStream,
    conditional: Object.keys(call.headers ?? {}).some((header) => /^if-(none-)?match$/i.test(header)),
  }
  let renewed = false
  for (let attempt = 1; ; attempt++) {
    let credential: string | undefined
    try {
      // Public operations are called without a credential: a 401 there is about something else.
      if (!route.open)
        credential = session ? await session.token() : typeof token === 'function' ? await token() : (token as string)
      return await send(options, route, call, credential)
    } catch (error) {
      const refused = error instanceof ProblemError && error.response.status === 401
      if (refused && session && credential && !renewed && !attempted.streams && (await session.renew(credential))) {
        renewed = true
        continue
      }
      const ms = pauseAfter(error, attempted, attempt, options.retry ?? {})
      if (ms === null) throw error
      await pause(ms, call.signal)
    }
  }
}

/**
 * The operation whose URL can contain the key. URLs lose the segments `.` and `..`, and proxies may merge slashes: such
 * keys go into the query, by the operation's `…ByQuery` variant.
 */
function placed(name: OperationName, call: UntypedCall): [Sent, UntypedCall] {
  const route = routes[name]
  const key = call.params?.key
  if (!route.url.includes('{+key}') || !/(^|\/)(\.{0,2})(\/|$)/.test(String(key))) return [route, call]
  const twin = routes[`${name}ByQuery` as OperationName] as Sent | undefined
  if (!twin) throw new TypeError(`A URL cannot contain the key ${key}`)
  return [twin, { ...call, query: { ...call.query, key } }]
}

type Read = (call?: UntypedCall) => Promise<unknown>

const LONGEST_PAGE = 1000
const byCursor = (read: Read, size: { limit?: number }) =>
  async function* (call: UntypedCall = {}): AsyncGenerator<unknown> {
    let cursor: string | null = null
    do {
      const query = { ...size, ...call.query, ...(cursor !== null && { cursor }) }
      const page = (await read({ ...call, query })) as Page<unknown>
      yield* page.items
      cursor = page.next_cursor
    } while (cursor !== null)
  }

const byNumber = (read: Read) =>
  async function* (call: UntypedCall = {}): AsyncGenerator<unknown> {
    for (let page = Number(call.query?.page ?? 1); ; page++) {
      const { items, total, page_size } = (await read({
        ...call,
        query: { ...call.query, page },
      })) as NumberedPage<unknown>
      yield* items
      if (items.length === 0 || page * page_size >= total) return
    }
  }
