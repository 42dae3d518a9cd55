import type { TokenPair } from './operations.ts'
import { routes } from './routes.ts'
import { ProblemError, send } from './send.ts'

/** The tokens of a session. Whoever holds them is signed in. */
export interface SessionTokens {
  access_token: string
  refresh_token: string
  /** When the access token expires, in milliseconds since the epoch. */
  expires_at: number
}

export interface SessionOptions {
  /** Where the service is, without `/api/v1`. */
  baseUrl: string
  fetch?: typeof fetch
  /** Called with every new pair, to store it: a refresh token can be used once. */
  onTokens?: (tokens: SessionTokens) => void | Promise<void>
}

/** A login that renews itself; pass it to `createClient` as its token. */
export interface Session {
  /** An access token that is valid for at least another minute. */
  token(): Promise<string>
  /** Renews an access token that was rejected; false if the session is over. */
  renew(refused: string): Promise<boolean>
  tokens(): SessionTokens
  /** Signs out: all tokens of the session become invalid. */
  end(): Promise<void>
}

/** An access token that expires sooner than this is renewed first. */
const MARGIN_MS = 60_000

export interface SignInOptions extends SessionOptions {
  email: string
  password: string
  /**
   * Called for an account with a second factor; returns a code of its authenticator app, or a recovery code. Without it,
   * such a login throws a ProblemError `second_factor_required`.
   */
  secondFactor?: () => string | Promise<string>
}

/** Logs in with email and password, and a second factor where the account has one. */
export async function signIn(options: SignInOptions): Promise<Session> {
  const { email, password, secondFactor, ...rest } = options
  const target = trimmed(rest)
  const body = { username: email, password }
  const pair = (await send(target, routes.login, { body }, undefined).catch(async (error: unknown) => {
    const { code, challenge } = error instanceof ProblemError ? error.problem : {}
    if (code !== 'second_factor_required' || challenge === undefined || !secondFactor) throw error
    const given = (await secondFactor()).trim()
    const answer = /^\d{3} ?\d{3}$/.test(given) ? { otp: given.replace(' ', '') } : { recovery_code: given }
    return send(target, routes.verifyLogin, { body: { challenge, ...answer } }, undefined)
  })) as TokenPair
  const tokens = kept(pair)
  await rest.onTokens?.(tokens)
  return resumeSession({ ...rest, tokens })
}

/** Resumes a session from stored tokens. */
export function resumeSession(options: SessionOptions & { tokens: SessionTokens }): Session {
  const target = trimmed(options)
  let { tokens } = options
  let renewing: Promise<void> | undefined

  /** Concurrent callers share one request: using a refresh token twice ends the session. */
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

function withoutSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

/** Options with no trailing slash in `baseUrl`. */
export const trimmed = <T extends { baseUrl: string }>(options: T): T => ({
  ...options,
  baseUrl: withoutSlashes(options.baseUrl),
})
