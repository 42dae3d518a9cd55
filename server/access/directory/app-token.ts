import { type Ask, field, forbidden, requestJson, unavailable, withDeadline } from './fetch.ts'

/** Supplies the bearer tokens for our requests. */
export interface TokenSource {
  /** Rejects with the signal's reason when aborted; other callers waiting for the same token are not affected. */
  get(signal: AbortSignal): Promise<string>
  /** Discards a token that was rejected. */
  drop(token: string): void
}

export interface Application {
  tokenUrl: string
  clientId: string
  clientSecret: string
  scope: string | null
}

const hint = 'Check the client id, its secret and the scope.'

/**
 * An application's tokens (client credentials, RFC 6749 section 4.4), cached until a minute before they expire. The
 * secret is sent in the form: Entra, Keycloak and the usual SCIM servers all accept it there. However many callers
 * wait, only one request runs at a time, with its own `timeoutMs`, whoever gives up. Throws the directory_* errors.
 */
export function appTokens(application: Application, now: () => Date, timeoutMs: number): TokenSource {
  const { tokenUrl: url, clientId: client_id, clientSecret: client_secret, scope } = application
  const form = { grant_type: 'client_credentials', client_id, client_secret, ...(scope !== null && { scope }) }
  let kept: { token: string; until: number } | undefined
  let pending: Promise<string> | undefined

  async function issue(): Promise<string> {
    const asked = now().getTime()
    const { body } = await withDeadline(new AbortController().signal, timeoutMs, (signal) =>
      // RFC 6749 section 5.2: rejected client credentials may also be a 400.
      requestJson({ url, form, signal, hint, pass: [400] }),
    )
    if (body === undefined) throw forbidden(new URL(url).host, hint)
    const token = field(body, 'access_token')
    if (typeof token !== 'string') throw unavailable(`${new URL(url).host} returned no token.`)
    // Some issuers send a string. RFC 6749 section 5.1 does not require it; without it, a token only serves the present
    // callers.
    const seconds = Number(field(body, 'expires_in')) || 0
    kept = { token, until: asked + (seconds - 60) * 1000 }
    return token
  }

  return {
    async get(signal) {
      signal.throwIfAborted()
      if (kept && now().getTime() < kept.until) return kept.token
      pending ??= issue().finally(() => {
        pending = undefined
      })
      return untilAborted(pending, signal)
    },
    drop(token) {
      if (kept?.token === token) kept = undefined
    },
  }
}

/** A fixed token. */
export const fixedToken = (token: string): TokenSource => ({ get: async () => token, drop: () => undefined })

/** Stops waiting for the work, which continues, once the signal is aborted. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const leave = () => reject(signal.reason)
  signal.addEventListener('abort', leave)
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', leave))
}

/** Requests with this source's tokens; one that is rejected with 401 is replaced once. `hint` as in JsonRequest. */
export function askWith(tokens: TokenSource, hint: string): Ask {
  return async (url, { signal, headers, pass = [] }) => {
    const send = (token: string, passed: readonly number[]) => {
      // Checked here, because fetch would quote a token that no header can carry in its error (RFC 6750 section 2.1).
      if (!/^[\x21-\x7e]+$/.test(token))
        throw unavailable('The token for the user directory is not a valid header value.')
      const authorization = `Bearer ${token}`
      return requestJson({ url, headers: { ...headers, authorization }, signal, hint, pass: passed })
    }
    const token = await tokens.get(signal)
    const reply = await send(token, [401, ...pass])
    if (reply.status !== 401) return reply
    tokens.drop(token)
    const next = await tokens.get(signal)
    if (next === token) throw forbidden(new URL(url).host, hint)
    return send(next, pass)
  }
}
