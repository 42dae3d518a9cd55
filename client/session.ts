import type { TokenPair } from './operations.ts'
import { routes } from './routes.ts'
import { ProblemError, send } from './send.ts'

/** What a session is kept by. Whoever has it is signed in. */
export interface SessionTokens {
  access_token: string
  refresh_token: string
  /** When the access token ends, in milliseconds since 1970. */
  expires_at: number
}

export interface SessionOptions {
  /** Where the service is, without `/api/v1`. */
  baseUrl: string
  fetch?: typeof fetch
  /** Told of every new pair, to keep it: a refresh token is good for one exchange. */
  onTokens?: (tokens: SessionTokens) => void | Promise<void>
}

/** A login that renews itself; given to `createClient` as its token. */
export interface Session {
  /** A token that is good for some time yet. */
  token(): Promise<string>
  /** Asks for a new token after one was refused; false where there is none to be had. */
  renew(refused: string): Promise<boolean>
  tokens(): SessionTokens
  /** Signs out: all tokens of the session end. */
  end(): Promise<void>
}

/** An access token is renewed when it ends within this. */
const MARGIN_MS = 60_000

/** Logs in with e-mail and password. */
export async function signIn(options: SessionOptions & { email: string; password: string }): Promise<Session> {
  const { email, password, ...rest } = options
  const body = { username: email, password }
  const pair = (await send(trimmed(rest), routes.login, { body }, undefined)) as TokenPair
  const tokens = kept(pair)
  await rest.onTokens?.(tokens)
  return resumeSession({ ...rest, tokens })
}

/** Goes on with a session whose tokens were kept. */
export function resumeSession(options: SessionOptions & { tokens: SessionTokens }): Session {
  const target = trimmed(options)
  let { tokens } = options
  let renewing: Promise<void> | undefined

  /** However many ask at once, one request is made: a refresh token that is used twice ends the session. */
  const renew = () => {
    renewing ??= (async () => {
      const body = { refresh_token: tokens.refresh_token }
      tokens = kept((await send(target, routes.refresh, { body }, undefined)) as TokenPair)
      await options.onTokens?.(tokens)
    })().finally(() => {
      renewing = undefined
    })
    return renewing
  }
  return {
    tokens: () => tokens,
    async token() {
      if (tokens.expires_at - Date.now() < MARGIN_MS) await renew()
      return tokens.access_token
    },
    async renew(refused) {
      if (tokens.access_token !== refused) return true
      try {
        await renew()
        return true
      } catch (error) {
        if (error instanceof ProblemError && error.response.status < 500) return false
        throw error
      }
    },
    async end() {
      await send(target, routes.logout, {}, await this.token())
    },
  }
}

const kept = ({ access_token, refresh_token = '', expires_in }: TokenPair): SessionTokens => ({
  access_token,
  refresh_token,
  expires_at: Date.now() + expires_in * 1000,
})

/** The base of all URLs, without a slash at its end. */
export const trimmed = <T extends { baseUrl: string }>(options: T): T => ({
  ...options,
  baseUrl: options.baseUrl.replace(/\/+$/, ''),
})
