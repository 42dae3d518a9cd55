/**
 * Answers that the page asked for while its script was still on the way (`early.ts`), by method and path. The page takes
 * each one once.
 */
type EarlyAnswers = Map<string, Promise<Response>>
type Page = typeof globalThis & { earlyAnswers?: EarlyAnswers }

/** After this many ms of a page, what was asked for early is too old. */
const MOST_MS = 60_000

export const CONFIG = '/api/v1/auth/config'
export const REFRESH = '/api/v1/auth/refresh?session=cookie'
export const ME = '/api/v1/auth/me'
/** The lock under which the tabs of a browser renew their session, one at a time. */
export const SESSION_LOCK = 'strongroom-session'
/** Marks in the browser's storage that there may be a session, so that a first visit does not request a token in vain. It is no credential. */
export const SIGNED_IN = 'strongroom-signed-in'

/** Where the browser's storage has the colors that were chosen. */
export const COLOR_SCHEME = 'strongroom-color-scheme'

export function keepEarly(method: string, path: string, answer: Promise<Response>): void {
  // Whoever takes it is told of the failure.
  answer.catch(() => undefined)
  const page = globalThis as Page
  page.earlyAnswers ??= new Map()
  page.earlyAnswers.set(`${method} ${path}`, answer)
}

/** The answer to a request that was sent early, once. */
export function takeEarly(method: string, path: string): Promise<Response> | undefined {
  const { earlyAnswers } = globalThis as Page
  const key = `${method} ${path}`
  const answer = performance.now() < MOST_MS ? earlyAnswers?.get(key) : undefined
  earlyAnswers?.delete(key)
  return answer
}
