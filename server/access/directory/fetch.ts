import { ServiceError } from '../../../contract/errors.ts'
import { encodeCursor } from '../../base/cursor.ts'
import type { DirectoryUser } from './directory.ts'

const mostBytes = 5 * 1024 * 1024

export interface JsonRequest {
  url: string
  headers?: Record<string, string>
  /** A form to POST. */
  form?: Record<string, string>
  signal: AbortSignal
  /** What to check when the credentials are rejected. */
  hint: string
  /** Error statuses that the caller handles itself. */
  pass?: readonly number[]
}

/** `body` is the JSON of a 2xx response; undefined with the statuses of `pass`. */
export interface Reply {
  status: number
  body: unknown
}

/**
 * Runs `work` with a signal that is also aborted after `timeoutMs`; it then rejects with directory_timeout. When the
 * caller's own signal is aborted, rejects with its reason.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    return await work(AbortSignal.any([signal, deadline]))
  } catch (cause) {
    if (cause !== deadline.reason) throw cause
    const detail = `The user directory did not answer within ${timeoutMs / 1000} seconds.`
    throw new ServiceError('directory_timeout', detail, { cause })
  }
}

/**
 * One request whose response is JSON of at most 5 MiB. Throws directory_forbidden (401, 403), directory_busy (429) and
 * directory_unavailable for every other failure, including redirects, which a token must not follow. Rejects with the
 * signal's reason when aborted. No message contains a credential or part of a response.
 */
export async function requestJson({ url, headers, form, signal, hint, pass = [] }: JsonRequest): Promise<Reply> {
  const { host } = new URL(url)
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'error',
      signal,
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    const { ok, status } = response
    if (ok) return { status, body: await readJson(response, host) }
    await response.body?.cancel()
    if (pass.includes(status)) return { status, body: undefined }
    throw refusal(response, host, hint)
  } catch (cause) {
    signal.throwIfAborted()
    throw cause instanceof ServiceError ? cause : unavailable(`${host} cannot be reached.`, cause)
  }
}

export const unavailable = (detail: string, cause?: unknown): ServiceError =>
  new ServiceError('directory_unavailable', detail, { cause })

export const forbidden = (host: string, hint: string): ServiceError =>
  new ServiceError('directory_forbidden', `${host} rejected our credentials. ${hint}`)

function refusal({ status, headers }: Response, host: string, hint: string): ServiceError {
  if (status === 401 || status === 403) return forbidden(host, hint)
  if (status !== 429) return unavailable(`${host} returned status ${status}.`)
  return new ServiceError('directory_busy', `${host} is rate limiting us. Try again later.`, {
    headers: { 'retry-after': String(secondsToWait(headers)) },
  })
}

/** Retry-After (RFC 9110 section 10.2.3) in seconds, 1 to 3600; 5 if missing or unreadable. */
function secondsToWait(headers: Headers): number {
  const value = headers.get('retry-after') ?? ''
  // Relative to the same response's Date, so that our clocks need not agree.
  const until = Date.parse(value) - (Date.parse(headers.get('date') ?? '') || Date.now())
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil(until / 1000)
  return Number.isNaN(seconds) ? 5 : Math.min(Math.max(seconds, 1), 3600)
}

async function readJson(response: Response, host: string): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > mostBytes) throw unavailable(`${host} returned more than 5 MiB.`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(new TextDecoder().decode(Buffer.concat(chunks)))
  } catch {
    // Without the cause, whose message quotes the response: that may contain a token.
    throw unavailable(`${host} did not return JSON.`)
  }
}

/** User input without control characters and lone surrogates, which no name has and some servers cannot handle. */
export const plainText = (typed: string): string =>
  typed
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()

/** Builds a query string. Spaces become %20, because not every server reads a plus as one; names stay as they are. */
export const withQuery = (url: string, query: Record<string, string | number>): string =>
  `${url}?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`

/** An id as one path segment (RFC 3986 section 3.3); null if it cannot be one, or would lead elsewhere. */
export const pathSegment = (id: string): string | null =>
  isId(id) && !/(^|[/\\])\.{1,2}([/\\]|$)/.test(id) ? encodeURIComponent(id) : null

const isId = (value: string): boolean => value !== '' && value.isWellFormed() && !/\p{Cc}/u.test(value)

/** A member of a response; undefined if missing. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** A member with display text; null if missing or blank. */
export function textField(value: unknown, name: string): string | null {
  const text = field(value, name)
  return (typeof text === 'string' && plainText(text)) || null
}

/** An identifier, unchanged; null if missing. */
export function idField(value: unknown, name: string): string | null {
  const id = field(value, name)
  return typeof id === 'string' && isId(id) ? id : null
}

/** The rows of a list; throws directory_unavailable if it is not one. */
export function rowsOf(list: unknown): unknown[] {
  if (Array.isArray(list)) return list
  throw unavailable('The user directory did not return a list of users.')
}

/** A GET with our token; throws and rejects as `requestJson`. */
export type Ask = (
  url: string,
  options: { signal: AbortSignal; headers?: Record<string, string>; pass?: readonly number[] },
) => Promise<Reply>

/** The person at a URL that ends with their id; null if there is none, or one whose logins have another id. */
export async function readUser(
  ask: Ask,
  url: string,
  externalId: string,
  { toUser, signal }: { toUser: (row: unknown) => DirectoryUser | null; signal: AbortSignal },
): Promise<DirectoryUser | null> {
  // 400: the id does not have the directory's format.
  const { body } = await ask(url, { signal, pass: [400, 404] })
  if (body === undefined) return null
  const user = toUser(body)
  if (!user) throw unavailable('The user directory did not return a user.')
  return user.externalId === externalId ? user : null
}

/**
 * The first page from `start` on with at least one person, or the last page; after five requests possibly an empty one.
 * A page's cursor contains a position; `next` is null on the last page.
 */
export async function pageWithUsers<P extends readonly string[]>(
  start: P,
  read: (at: P) => Promise<{ users: DirectoryUser[]; next: P | null }>,
): Promise<{ users: DirectoryUser[]; nextCursor: string | null }> {
  let page = await read(start)
  for (let asked = 1; page.users.length === 0 && page.next && asked < 5; asked++) page = await read(page.next)
  return { users: page.users, nextCursor: page.next && encodeCursor(page.next) }
}

export function wrongCursor(): ServiceError {
  const fault = { path: 'query.cursor', message: 'is not a cursor of this list' }
  return new ServiceError('invalid_request', `${fault.path} ${fault.message}`, { faults: [fault] })
}
