import { timingSafeEqual } from 'node:crypto'
import { type ErrorCode, errors, ServiceError } from '../../../contract/errors.ts'
import { newId } from '../../base/id.ts'
import { countPerMinute } from '../../base/minute-counter.ts'
import { perSystem } from '../../base/per-system.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { randomToken } from '../../secrets/random.ts'
import { seal, unseal } from '../../secrets/seal.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { followMapping } from '../groups/service.ts'
import {
  dropSession,
  lockNewSession,
  loginDisabled,
  type NewSession,
  openSession,
  subjectOf,
  type Tokens,
  tokensOf,
} from '../sessions/sessions.ts'
import { lockAdministration } from '../settings/administration.ts'
import { type EffectiveSettings, issuerKey, settingsInForce } from '../settings/effective.ts'
import { type Idp, idpOf } from '../settings/idp.ts'
import { linkIdentity } from '../users/identity.ts'
import { adoptProfile, insertUser, recordLogin } from '../users/service.ts'
import { findByIdentity } from '../users/store.ts'
import { recordFailure } from './failures.ts'
import { findLinkable } from './link-by-email.ts'
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

/** A rejection of someone whom the provider has confirmed. */
class Refused extends ServiceError {
  readonly email: string | null
  readonly userId: string | undefined
  constructor(code: ErrorCode, detail: string, { email }: oidc.Identity, userId?: string) {
    super(code, detail)
    this.email = email
    this.userId = userId
  }
}
class Taken extends Error {}

/**
 * Opens the session of a confirmed identity: issuer and subject identify the user, never the email, which a person can
 * choose at some providers. Creates the account, or links the one with a confirmed email, if that is enabled. With
 * `handoff`, the tokens wait for that code from the browser with that cookie.
 */
async function signIn(
  ctx: Ctx,
  { idp, settings }: { idp: Idp; settings: EffectiveSettings },
  identity: oidc.Identity,
  handoff: { code: string; cookie_hash: string } | undefined,
): Promise<NewSession> {
  const session = await openIdpSession(ctx, issuerKey(idp.issuer), settings, identity).catch((error: unknown) => {
    // Two concurrent first logins: the other one has created or linked the account.
    if (error instanceof Taken) return openIdpSession(ctx, issuerKey(idp.issuer), settings, identity)
    throw error
  })
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

async function openIdpSession(
  ctx: Ctx,
  issuer: string,
  settings: EffectiveSettings,
  identity: oidc.Identity,
): Promise<NewSession> {
  const { auth, idp } = settings
  const { subject, email, displayName } = identity
  const known = await findByIdentity(ctx.db, issuer, subject)
  if (known?.disabled_at) throw new Refused('forbidden', 'Your account is disabled.', identity, known.id)
  const linked = known ? undefined : await findLinkable(ctx, settings, identity)
  const user = known ?? linked
  if (!user && !auth.auto_create_users)
    throw new Refused('user_not_provisioned', 'An administrator must create an account for you first.', identity)
  if (!user && email === null)
    throw new Refused('user_not_provisioned', 'The identity provider did not supply your email address.', identity)
  const token_version = (user?.token_version ?? 0) + (known ? 0 : 1)
  const who = user
    ? { ...subjectOf(user), display_name: displayName ?? user.display_name, token_version }
    : { user_id: newId(), email: email ?? '', display_name: displayName ?? email ?? '', token_version }
  return openSession(ctx, { ...who, oid: subject }, { method: 'idp' }, async (step) => {
    const { tx } = step
    if (idp.groups_claim !== null || (user && email !== null && email !== user.email)) await lockAdministration(tx)
    if (linked && !(await linkIdentity(step, linked, { idp_issuer: issuer, idp_subject: subject }))) throw new Taken()
    if (!user) await createUser(step, { ...who, issuer, identity })
    else await adoptProfile(tx, user, email, displayName)
    await recordLogin(tx, who.user_id, ctx.now())
    if (idp.groups_claim !== null && identity.groups === null)
      ctx.log.warn(
        { user_id: who.user_id },
        'the identity provider sent no groups: the scope may lack them, or there are too many; memberships are unchanged',
      )
    if (idp.groups_claim !== null && identity.groups !== null)
      await followMapping(step, who.user_id, idp.group_mapping, identity.groups)
  })
}

/** Step: creates the account of a first login, in no group. */
async function createUser(
  step: Step,
  who: { user_id: string; email: string; display_name: string; issuer: string; identity: oidc.Identity },
): Promise<void> {
  const { tx, record } = step
  const { user_id: id, email, display_name, issuer, identity } = who
  const identified = { idp_issuer: issuer, idp_subject: identity.subject }
  const row = await insertUser(tx, { id, email, display_name, ...identified }, step.now())
  if (!row && (await findByIdentity(tx, issuer, identity.subject))) throw new Taken()
  if (!row)
    throw new Refused(
      'email_in_use',
      'Another account uses your email address; an administrator can link it.',
      identity,
    )
  record({
    name: 'user_create',
    resource: { type: 'user', id },
    details: { email, display_name, group_ids: [], auto: true },
  })
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
