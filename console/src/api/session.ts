import { type Client, createClient } from '../../../client/derived.ts'
import type { TokenPair } from '../../../contract/auth.ts'
import { SESSION_LOCK, SIGNED_IN } from './early.ts'
import { watchedFetch } from './reach.ts'

/**
 * This page's session. The access token is only in memory; the refresh token is in a cookie that scripts cannot read.
 * After a reload the cookie fetches a new access token.
 */
let accessToken: string | undefined
let ended: ((signedOut: boolean) => void) | undefined
let refused: (() => void) | undefined

const note = (signedIn: boolean): void => {
  try {
    if (signedIn) localStorage.setItem(SIGNED_IN, '1')
    else localStorage.removeItem(SIGNED_IN)
  } catch {
    // No storage: the next page load asks for the password again.
  }
}
const isNoted = (): boolean => {
  try {
    return localStorage.getItem(SIGNED_IN) !== null
  } catch {
    return false
  }
}

/**
 * Called when the session can no longer be renewed: the user has signed out in another tab, or it has expired. Returns a
 * function that ends the calls.
 */
export function onSessionEnd(listener: (signedOut: boolean) => void): () => void {
  ended = listener
  return () => {
    if (ended === listener) ended = undefined
  }
}
/** Calls `listener` when somebody signs in in another tab. Returns a function that ends the calls. */
export function onSignIn(listener: () => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === SIGNED_IN && newValue !== null) listener()
  }
  addEventListener('storage', listen)
  return () => removeEventListener('storage', listen)
}
/** Called when the server reports a missing permission. */
export const onRefusal = (listener: () => void): void => {
  refused = listener
}
export const hasToken = (): boolean => accessToken !== undefined
export const takeTokens = ({ access_token }: TokenPair): void => {
  accessToken = access_token
  note(true)
}
const forgetTokens = (): void => {
  accessToken = undefined
  note(false)
}

/** Whose token it is: for a moment, two tabs of one browser can belong to different users. */
const subjectOf = (token: string): unknown => {
  try {
    const [, claims = ''] = token.split('.')
    return (JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { sub?: unknown }).sub
  } catch {
    return undefined
  }
}
/** The other tabs: a token renewed in one serves all, and signing out in one signs out all. */
const tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('strongroom-session')
tabs?.addEventListener('message', ({ data }: MessageEvent<{ token?: string }>) => {
  if (accessToken === undefined) return
  if (data.token !== undefined && subjectOf(data.token) === subjectOf(accessToken)) {
    accessToken = data.token
    return
  }
  accessToken = undefined
  ended?.(true)
})
/** Ends the session in every tab, after the server was told. */
export const leaveEverywhere = (): void => {
  forgetTokens()
  tabs?.postMessage({})
}

const bare = createClient({ baseUrl: '', fetch: watchedFetch })
let renewal: Promise<boolean> | undefined
/** How long a token takes from one tab to another, at most. */
const HANDED_OVER_MS = 20

/** Gets a new access token. Concurrent calls share one request, and only one tab asks at a time. */
export function renew(): Promise<boolean> {
  if (accessToken === undefined && !isNoted()) return Promise.resolve(false)
  const stale = accessToken
  const ask = async () => {
    // What another tab renewed arrives just after its lock was released.
    if (tabs && stale !== undefined) await new Promise((resolve) => setTimeout(resolve, HANDED_OVER_MS))
    // Another tab renewed it first.
    if (accessToken !== undefined && accessToken !== stale) return true
    try {
      const pair = await bare.refresh({ query: { session: 'cookie' }, body: {} })
      takeTokens(pair)
      tabs?.postMessage({ token: pair.access_token })
      return true
    } catch (error) {
      // A network error does not end the session, only a response does.
      if (!(error instanceof Error && 'response' in error)) throw error
      forgetTokens()
      return false
    }
  }
  const locks = globalThis.navigator?.locks
  renewal ??= (locks ? locks.request(SESSION_LOCK, ask) : ask()).finally(() => {
    renewal = undefined
  })
  return renewal
}

/** `fetch` with the session's token. An expired token is renewed once and the request sent again. */
export const authorizedFetch: typeof fetch = async (input, init = {}) => {
  const send = () => {
    const headers = new Headers(init.headers)
    if (accessToken !== undefined) headers.set('authorization', `Bearer ${accessToken}`)
    return watchedFetch(input, { ...init, headers })
  }
  const used = accessToken
  const answer = await send()
  if (answer.status === 403) refused?.()
  if (answer.status !== 401 || used === undefined) return answer
  if (accessToken === used && !(await renew())) {
    ended?.(false)
    return answer
  }
  return send()
}

/** The token for requests made without `fetch` (uploads); renewed first if `stale` is still the current one. */
export async function bearer(stale?: string): Promise<string | undefined> {
  if (stale !== undefined && stale === accessToken && !(await renew())) ended?.(false)
  return accessToken
}

/** All API operations, as the signed-in user. */
export const client: Client = createClient({ baseUrl: '', fetch: authorizedFetch })
/** All API operations without a token. */
export const publicClient: Client = bare
