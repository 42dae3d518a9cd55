import { type Client, createClient } from '../../../client/derived.ts'
import type { TokenPair } from '../../../contract/auth.ts'

/**
 * The session of this page. The access token is in memory alone; the refresh token is in a cookie that no script reads.
 * A reload asks for a new access token with it.
 */
let accessToken: string | undefined
let ended: (() => void) | undefined
let refused: (() => void) | undefined

/** Says, without being a credential, that there may be a session to go on with: others are not asked for one in vain. */
const SIGNED_IN = 'stowage-signed-in'
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

/** Is called once the session cannot be renewed any more. */
export const onSessionEnd = (listener: () => void): void => {
  ended = listener
}
/** Is called when the server says that a right is missing. */
export const onRefusal = (listener: () => void): void => {
  refused = listener
}
export const hasToken = (): boolean => accessToken !== undefined
export const takeTokens = ({ access_token }: TokenPair): void => {
  accessToken = access_token
  note(true)
}
export const forgetTokens = (): void => {
  accessToken = undefined
  note(false)
}

/** Whom a token is for: tabs of the same browser may be two people's for a moment. */
const subjectOf = (token: string): unknown => {
  try {
    const [, claims = ''] = token.split('.')
    return (JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { sub?: unknown }).sub
  } catch {
    return undefined
  }
}
/** The other tabs: what one of them renewed serves all, and a sign-out is everyone's. */
const tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('stowage-session')
tabs?.addEventListener('message', ({ data }: MessageEvent<{ token?: string }>) => {
  if (accessToken === undefined) return
  if (data.token !== undefined && subjectOf(data.token) === subjectOf(accessToken)) {
    accessToken = data.token
    return
  }
  accessToken = undefined
  ended?.()
})
/** Ends the session in every tab; the server was told. */
export const leaveEverywhere = (): void => {
  forgetTokens()
  tabs?.postMessage({})
}

const bare = createClient({ baseUrl: '' })
let renewal: Promise<boolean> | undefined

/** Gets a new access token; however many ask at the same time, one request goes out, and one tab at a time asks. */
export function renew(): Promise<boolean> {
  if (accessToken === undefined && !isNoted()) return Promise.resolve(false)
  const stale = accessToken
  const ask = async () => {
    // Another tab was first.
    if (accessToken !== undefined && accessToken !== stale) return true
    try {
      const pair = await bare.refresh({ query: { session: 'cookie' }, body: {} })
      takeTokens(pair)
      tabs?.postMessage({ token: pair.access_token })
      return true
    } catch (error) {
      // Not the network: only an answer ends the session.
      if (!(error instanceof Error && 'response' in error)) throw error
      forgetTokens()
      return false
    }
  }
  const locks = globalThis.navigator?.locks
  renewal ??= (locks ? locks.request('stowage-session', ask) : ask()).finally(() => {
    renewal = undefined
  })
  return renewal
}

/** `fetch` with the session's credential; where that has expired it is renewed once and the request sent again. */
export const authorizedFetch: typeof fetch = async (input, init = {}) => {
  const send = () => {
    const headers = new Headers(init.headers)
    if (accessToken !== undefined) headers.set('authorization', `Bearer ${accessToken}`)
    return fetch(input, { ...init, headers })
  }
  const used = accessToken
  const answer = await send()
  if (answer.status === 403) refused?.()
  if (answer.status !== 401 || used === undefined) return answer
  if (accessToken === used && !(await renew())) {
    ended?.()
    return answer
  }
  return send()
}

/** The credential for requests that are not made by `fetch` (uploads); renewed first when `stale` is still in use. */
export async function bearer(stale?: string): Promise<string | undefined> {
  if (stale !== undefined && stale === accessToken && !(await renew())) ended?.()
  return accessToken
}

/** Every operation of the API, as whoever is signed in. */
export const client: Client = createClient({ baseUrl: '', fetch: authorizedFetch })
/** Operations that are asked without a credential. */
export const publicClient: Client = bare
