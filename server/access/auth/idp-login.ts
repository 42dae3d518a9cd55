// A login through the identity provider, as redirects of the browser: to the provider, back with its response, and to the
// page that exchanges a one-time code for the tokens.
import { timingSafeEqual } from 'node:crypto'
import { type ErrorCode, errors, ServiceError } from '../../../contract/errors.ts'
import { countPerMinute } from '../../base/minute-counter.ts'
import { perSystem } from '../../base/per-system.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { randomToken } from '../../secrets/random.ts'
import { seal, unseal } from '../../secrets/seal.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { siteOf } from '../second-factor/passkey.ts'
import {
  dropSession,
  lockNewSession,
  loginDisabled,
  type NewSession,
  subjectOf,
  type Tokens,
  tokensOf,
} from '../sessions/sessions.ts'
import { type EffectiveSettings, issuerKey, settingsInForce } from '../settings/effective.ts'
import { type Idp, idpOf } from '../settings/idp.ts'
import { mailServerOf } from '../settings/mail.ts'
import { recordFailure } from './failures.ts'
import { openIdpSession, Refused } from './idp-session.ts'
import * as oidc from './oidc.ts'
import * as store from './store.ts'

const TRANSACTION_MS = 10 * MINUTE_MS
const HANDOFF_MS = MINUTE_MS
const PURPOSE = 'oidc-tx'

/** Anyone may start logins and fail them; the limit keeps that from filling a table. */
const beginningsOf = perSystem(() => countPerMinute(100))
const failuresOf = perSystem(() => countPerMinute(60))

async function enabledIdp(ctx: Ctx): Promise<{ idp: Idp; settings: EffectiveSettings }> {
  const settings = await settingsInForce(ctx)
  const idp = idpOf(settings)
  if (!settings.auth.enable_idp || !idp) throw loginDisabled()
  return { idp, settings }
}

/** The response of `GET /auth/config`. */
export async function describeLogins(ctx: Ctx) {
  const settings = await settingsInForce(ctx)
  const idp = settings.auth.enable_idp ? idpOf(settings) : null
  return {
    local: settings.auth.enable_local,
    idp: idp !== null,
    idp_name: idp ? (settings.idp.name ?? new URL(idp.issuer).hostname) : null,
    passkeys: settings.auth.enable_local && siteOf(ctx.config) !== null,
    password_reset: settings.auth.enable_local && mailServerOf(settings) !== null,
  }
}

/** Starts a login: returns the provider's URL, and the value of the cookie that binds it to this browser. */
export async function beginLogin(
  ctx: Ctx,
  returnTo: string | undefined,
): Promise<{ auth_url: string; cookie: string }> {
  const { idp } = await enabledIdp(ctx)
  const wait = beginningsOf(ctx.config)(ctx.actor.origin.ip ?? 'unknown', ctx.now())
  if (wait > 0)
    throw new ServiceError('rate_limited', 'Too many logins were started. Try again later.', {
      headers: { 'retry-after': String(wait) },
    })
  if (returnTo !== undefined) assertOwnPath(ctx, returnTo)
  const checks = oidc.newChecks()
  const auth_url = await oidc.authorizationUrl(ctx, idp, checks)
  const cookie = randomToken()
  const now = ctx.now()
  await ctx.upkeep(({ tx }) =>
    store.insertIdpLogin(tx, {
      state_hash: hashSecret(checks.state),
      cookie_hash: hashSecret(cookie),
      nonce: checks.nonce,
      code_verifier: seal(ctx.config, PURPOSE, checks.verifier),
      return_to: returnTo ?? null,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + TRANSACTION_MS).toISOString(),
    }),
  )
  return { auth_url, cookie }
}

/** Any URL other than a path of this site would send users and their one-time codes elsewhere. */
function assertOwnPath(ctx: Ctx, returnTo: string): void {
  const base = ctx.config.publicBaseUrl
  const plain = /^\/(?![/\\])[\x21-\x7e]*$/.test(returnTo) && !returnTo.includes('\\')
  if (plain && URL.canParse(returnTo, base) && new URL(returnTo, base).origin === new URL(base).origin) return
  throw new ServiceError('invalid_request', 'return_to must be a path on this site.', {
    faults: [{ path: 'query.return_to', message: 'must be a path on this site' }],
  })
}

const invalidState = () =>
  new ServiceError('invalid_state', 'This login was started in another browser, has expired, or was already completed.')

/** The provider's response. */
export interface Callback {
  /** The raw query, or the form written as one. */
  query: string
  state: string | undefined
  /** The value of the cookie set when the login started. */
  cookie: string | undefined
  /** Whether it is a page load of a browser. */
  browser: boolean
}

/**
 * Finishes a login. Returns tokens or, for a browser whose login named a return path, the URL to redirect it to: with a
 * one-time code or the error's code in the fragment. Every failure is recorded as `login_failed`.
 */
export async function finishLogin(ctx: Ctx, callback: Callback): Promise<{ tokens: Tokens } | { redirect: string }> {
  let begun: Row<'idp_logins'> | undefined
  try {
    const { idp, settings } = await enabledIdp(ctx)
    const required = settings.auth.idp_require_browser_cookie
    begun = await takeLogin(ctx, callback, required)
    const { state = '' } = callback
    const verifier = unseal(ctx.config, PURPOSE, begun.code_verifier)
    const identity = await oidc.exchangeCode(ctx, idp, callback.query, { state, nonce: begun.nonce, verifier })
    const code = begun.return_to !== null && callback.browser ? randomToken() : undefined
    const handoff = code === undefined ? undefined : { code, cookie_hash: begun.cookie_hash }
    const session = await signIn(ctx, { idp, settings }, identity, handoff)
    if (code === undefined) return { tokens: await tokensOf(ctx, session) }
    return { redirect: returnUrl(begun.return_to ?? '/', `code=${code}`) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { code } = error
    const who = error instanceof Refused ? error : undefined
    await recordRefusal(ctx, code, { email: who?.email ?? null, userId: who?.userId })
    if (begun?.return_to && callback.browser) return { redirect: returnUrl(begun.return_to, `error=${code}`) }
    throw error
  }
}

/** Records a rejected login, up to a limit per minute and address. */
async function recordRefusal(
  ctx: Ctx,
  code: ErrorCode,
  { email, userId }: { email: string | null; userId?: string | undefined },
): Promise<void> {
  if (failuresOf(ctx.config)(ctx.actor.origin.ip ?? 'unknown', ctx.now()) > 0) return
  await recordFailure(ctx, email, code, { userId, status_code: errors[code].status, error_code: code, method: 'idp' })
}

const returnUrl = (path: string, fragment: string): string => `${path.split('#', 1)[0]}#${fragment}`

/** Takes the login that `state` names, once, if it was started in this browser. */
async function takeLogin(ctx: Ctx, { state, cookie }: Callback, required: boolean): Promise<Row<'idp_logins'>> {
  if (state === undefined) throw invalidState()
  const row = await ctx.upkeep(({ tx }) => store.takeIdpLogin(tx, hashSecret(state)))
  if (!row || Date.parse(row.expires_at) <= ctx.now().getTime()) throw invalidState()
  if (required && !isOfBrowser(row.cookie_hash, cookie)) throw invalidState()
  return row
}

/** Whether a cookie matches the hash stored when the login started. */
const isOfBrowser = (hash: string | null, cookie: string | undefined): boolean =>
  hash !== null && cookie !== undefined && timingSafeEqual(Buffer.from(hashSecret(cookie)), Buffer.from(hash))

/**
 * Opens the session of a confirmed identity. With `handoff`, the tokens wait for that code from the browser with that
 * cookie.
 */
async function signIn(
  ctx: Ctx,
  { idp, settings }: { idp: Idp; settings: EffectiveSettings },
  identity: oidc.Identity,
  handoff: { code: string; cookie_hash: string } | undefined,
): Promise<NewSession> {
  const session = await openIdpSession(ctx, issuerKey(idp.issuer), settings, identity)
  const expires_at = new Date(ctx.now().getTime() + HANDOFF_MS).toISOString()
  if (handoff !== undefined) {
    const row = {
      code_hash: hashSecret(handoff.code),
      cookie_hash: handoff.cookie_hash,
      session_id: session.sid,
      refresh_jti: session.refresh.jti,
      expires_at,
    }
    await ctx.upkeep(({ tx }) => store.insertHandoff(tx, row))
  }
  return session
}

interface Redeemed {
  session?: NewSession
  email: string | null
  userId?: string
}

/**
 * Exchanges a one-time code for the tokens of a finished browser login, only in the browser that started it: otherwise
 * an attacker could make another user's browser work in the attacker's account. A code from another browser is used up,
 * and its session ends.
 */
export async function redeemHandoff(ctx: Ctx, code: string, cookie: string | undefined): Promise<Tokens> {
  const now = ctx.now()
  const { session, email, userId } = await ctx.upkeep(async ({ tx }): Promise<Redeemed> => {
    const row = await store.takeHandoff(tx, hashSecret(code))
    const waiting = row && (await lockNewSession(tx, row.session_id, row.refresh_jti))
    if (!row || !waiting) return { email: null }
    const { found, refresh } = waiting
    const whose = { email: found.email, userId: found.user_id }
    const live = Date.parse(row.expires_at) > now.getTime() && found.revoked_at === null && found.disabled_at === null
    if (!refresh || !live || !isOfBrowser(row.cookie_hash, cookie)) {
      await dropSession(tx, found.id, now)
      return whose
    }
    const subject = { ...subjectOf({ ...found, id: found.user_id }), oid: found.idp_subject ?? undefined }
    return { ...whose, session: { subject, sid: found.id, refresh } }
  })
  if (session) return tokensOf(ctx, session)
  const refusal = invalidState()
  await recordRefusal(ctx, refusal.code, { email, userId })
  throw refusal
}
