import { ServiceError } from '../../../contract/errors.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { newId } from '../../base/id.ts'
import { perSystem } from '../../base/per-system.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Actor, Ctx, Origin, Step } from '../../context.ts'
import type { Db, Tx } from '../../db/schema.ts'
import { withoutCredentials } from '../../observe/log.ts'
import { settingsInForce, settingsOf } from '../settings/effective.ts'
import { idpOf } from '../settings/idp.ts'
import { needsSecondFactor } from '../settings/second-factor.ts'
import { actorOf, groupsOf } from './caller.ts'
import * as jwt from './jwt.ts'
import * as store from './store.ts'

const FAMILY_MS = 30 * DAY_MS
/** How long a replaced refresh token still returns its unused successor, for a second tab or a lost response. */
const REUSE_GRACE_MS = 30_000

/** The user that tokens are issued for. */
export interface Subject {
  user_id: string
  email: string
  display_name: string
  token_version: number
  oid?: string | undefined
}
/** The subject of a user's row. */
export const subjectOf = (user: {
  id: string
  email: string
  display_name: string
  token_version: number
}): Subject => ({
  user_id: user.id,
  email: user.email,
  display_name: user.display_name,
  token_version: user.token_version,
})
interface RefreshRow {
  jti: string
  issued_at: string
  expires_at: string
}
/** Everything a new session's tokens are made of. */
export interface NewSession {
  subject: Subject
  sid: string
  refresh: RefreshRow
}

/** How somebody has logged in. */
export interface LoginMethod {
  method: 'local' | 'idp'
  /** The second factor they gave, if they did. */
  factor?: 'totp' | 'passkey' | 'recovery_code' | undefined
  /** Whether they gave one, in an earlier session if not now. */
  verified?: boolean
  /** What opened the session, unless a password did. */
  signedInWith?: 'passkey' | 'link'
}

/**
 * Starts a session and records `login` as the user who logged in. `also` runs first in the same transaction, so if it
 * throws there is no session.
 */
export async function openSession(
  ctx: Ctx,
  subject: Subject,
  { method, factor, verified = factor !== undefined, signedInWith }: LoginMethod,
  also: (step: Step, session: NewSession) => Promise<unknown>,
): Promise<NewSession> {
  const sid = newId()
  const now = ctx.now()
  const familyEnd = new Date(now.getTime() + FAMILY_MS)
  const refresh = refreshRow(sid, now, familyEnd)
  const session: NewSession = { subject, sid, refresh }
  const { user_id, email, display_name } = subject
  const credential = { auth_method: method, session_id: sid, token_id: null }
  const actor: Actor = { ...ctx.actor, type: 'user', user_id, email, display_name, ...credential }
  await ctx.as(actor).act(async (step) => {
    const { tx, record } = step
    await also(step, session)
    await store.insertSession(tx, {
      id: sid,
      user_id,
      auth_method: method,
      ip: actor.origin.ip,
      user_agent: actor.origin.user_agent === null ? null : withoutCredentials(actor.origin.user_agent).slice(0, 512),
      created_at: now.toISOString(),
      expires_at: familyEnd.toISOString(),
      last_used_at: now.toISOString(),
      revoked_at: null,
      second_factor_at: verified ? now.toISOString() : null,
      signed_in_with: method === 'idp' ? 'identity_provider' : (signedInWith ?? 'password'),
    })
    await store.insertRefreshToken(tx, refresh)
    const details = {
      auth_method: method,
      ...(factor === undefined ? {} : { second_factor: factor }),
      ...(signedInWith === 'passkey' ? { signed_in_with: signedInWith } : {}),
    }
    record({ name: 'login', resource: { type: 'user', id: user_id }, details })
  })
  return session
}

function refreshRow(sid: string, now: Date, familyEnd: Date) {
  const expires = Math.min(now.getTime() + jwt.refreshSeconds * 1000, familyEnd.getTime())
  return {
    jti: newId(),
    session_id: sid,
    issued_at: now.toISOString(),
    expires_at: new Date(expires).toISOString(),
    consumed_at: null,
    successor_jti: null,
  }
}

/** The response of a login or a refresh. */
export interface Tokens {
  access_token: string
  token_type: 'bearer'
  expires_in: number
  refresh_token: string
}

/** Step: a session whose tokens were not fetched yet, with its first refresh token; undefined if it is gone. */
export async function lockNewSession(tx: Tx, sid: string, jti: string) {
  const found = await store.lockSession(tx, sid)
  return found && { found, refresh: await store.findRefreshToken(tx, jti) }
}

/** Step: ends a session whose tokens nobody can fetch any more. */
export const dropSession = store.revokeSession

/** A session's tokens; the same row always gives the same refresh token. */
export async function tokensOf(ctx: Ctx, { subject, sid, refresh }: NewSession): Promise<Tokens> {
  const claims = { sub: subject.user_id, sid, ver: subject.token_version, oid: subject.oid }
  const [access_token, refresh_token] = await Promise.all([
    jwt.signAccess(ctx.config, { ...claims, jti: newId() }, ctx.now()),
    jwt.signRefresh(ctx.config, { ...claims, jti: refresh.jti }, refresh),
  ])
  return { access_token, token_type: 'bearer', expires_in: jwt.accessSeconds, refresh_token }
}

/**
 * Exchanges a refresh token for new tokens. Reusing a replaced token ends its session, since one of its two holders is
 * a thief; for 30 seconds, while its successor is unused, it returns that successor instead. With rotation off, a token
 * stays valid for its seven days. Refused if the login method of the session is disabled, or if it was opened without the
 * second factor that its user needs.
 */
export async function refresh(ctx: Ctx, token: string): Promise<Tokens> {
  const claims = await verifierOf(ctx.config)(token, 'rt+jwt', ctx.now())
  const settings = await settingsInForce(ctx)
  const { auth } = settings
  const idpOn = auth.enable_idp && idpOf(settings) !== null
  const outcome = await ctx.upkeep(async ({ tx }) => {
    const now = ctx.now()
    const session = await store.lockSession(tx, claims.sid)
    const row = await store.findRefreshToken(tx, claims.jti)
    if (!session || !row || row.session_id !== session.id || !isLive(session, claims, now))
      throw jwt.invalidToken('The refresh token is no longer valid.')
    if (!(session.auth_method === 'local' ? auth.enable_local : idpOn)) throw loginDisabled()
    if (session.auth_method === 'local' && session.second_factor_at === null && auth.second_factor !== 'optional') {
      const groups = groupsOf(await store.findUserRows(tx, session.user_id))
      if (needsSecondFactor(settings, groups)) throw withoutSecondFactor()
    }
    const subject: Subject = { ...session, oid: claims.oid }
    await store.touchSession(tx, session.id, now)
    const sid = session.id
    if (row.consumed_at === null) {
      if (!auth.refresh_rotation) return { session: { subject, sid, refresh: row } }
      const successor = refreshRow(sid, now, new Date(session.expires_at))
      await store.insertRefreshToken(tx, successor)
      await store.consumeRefreshToken(tx, row.jti, successor.jti, now)
      return { session: { subject, sid, refresh: successor } }
    }
    const successor = await store.findRefreshToken(tx, row.successor_jti ?? '')
    const recent = now.getTime() - Date.parse(row.consumed_at) <= REUSE_GRACE_MS
    if (recent && successor && successor.consumed_at === null) return { session: { subject, sid, refresh: successor } }
    return { stolen: { user_id: session.user_id, sid } }
  })
  if (outcome.session) return tokensOf(ctx, outcome.session)
  await endStolenSession(ctx, outcome.stolen)
  throw jwt.invalidToken('The refresh token was already used; its session has been ended.')
}

/** The refusal of a session whose user needs a second factor and has given none (RFC 9470). */
const withoutSecondFactor = () =>
  new ServiceError('second_factor_required', 'This session was opened without a second factor. Log in again.', {
    headers: { 'www-authenticate': 'Bearer error="insufficient_user_authentication"' },
  })

export const loginDisabled = () => new ServiceError('login_disabled', 'This login method is disabled.')

async function endStolenSession(ctx: Ctx, { user_id, sid }: { user_id: string; sid: string }): Promise<void> {
  await ctx.act(async ({ tx, record }) => {
    await store.revokeSession(tx, sid, ctx.now())
    record({
      name: 'refresh_reuse',
      result: 'denied',
      status_code: 401,
      error_code: 'unauthenticated',
      resource: { type: 'user', id: user_id },
      details: { session_id: sid },
    })
  })
}

/** Ends the caller's session. */
export async function logout(ctx: Ctx): Promise<undefined> {
  const { session_id } = ctx.actor
  if (session_id === null) throw new ServiceError('conflict', 'This credential has no session to end.')
  await endSession(ctx, session_id)
}

/** Ends a session of the caller; throws not_found if it is not theirs or not live. */
export async function endSession(ctx: Ctx, id: string): Promise<undefined> {
  const userId = ctx.actor.user_id ?? ''
  await ctx.act(async ({ tx, record }) => {
    if (!(await store.revokeOwnSession(tx, userId, id, ctx.now())))
      throw new ServiceError('not_found', 'No such session.')
    record({ name: 'logout', resource: { type: 'user', id: userId }, details: { session_id: id } })
  })
}

/** The caller's sessions, newest first. */
export async function listSessions(ctx: Ctx, limit: number, cursor: string | undefined) {
  const [before] = decodeCursor(cursor, 1) ?? []
  const now = ctx.now()
  const idleSince = new Date(now.getTime() - jwt.refreshSeconds * 1000)
  const rows = await store.listSessions(ctx.db, ctx.actor.user_id ?? '', { now, idleSince, before, limit: limit + 1 })
  const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [id])
  return {
    items: page.map(({ user_id: _user, revoked_at: _revoked, second_factor_at, ...row }) => ({
      ...row,
      second_factor: second_factor_at !== null,
      current: row.id === ctx.actor.session_id,
    })),
    next_cursor,
  }
}

interface Revocable {
  user_id: string
  token_version: number
  disabled_at: string | null
  revoked_at: string | null
  expires_at: string
  auth_method: 'local' | 'idp'
  idp_subject: string | null
}
/** Whether nothing has ended the session since the token was issued. */
const isLive = (row: Revocable, claims: jwt.Claims, now: Date): boolean =>
  row.user_id === claims.sub &&
  row.disabled_at === null &&
  row.revoked_at === null &&
  Date.parse(row.expires_at) > now.getTime() &&
  row.token_version === claims.ver &&
  (row.auth_method === 'idp' ? claims.oid !== undefined && row.idp_subject === claims.oid : claims.oid === undefined)

const verifierOf = perSystem(jwt.createVerifier)

/**
 * The actor behind an access token, with their current permissions; throws `unauthenticated` (401), and
 * `second_factor_required` (401) if the session lacks the one that its user needs. One query. A
 * renewed actor ends with the session, not with the token, which lasts half an hour.
 */
export async function authenticateToken(
  ctx: { config: Ctx['config']; db: Db; now(): Date },
  token: string,
  origin: Origin,
): Promise<Actor> {
  const claims = await verifierOf(ctx.config)(token, 'at+jwt', ctx.now())
  const renew = async (db: Db): Promise<Actor> => {
    const rows = await store.findSessionRows(db, claims.sid)
    if (!rows || !isLive(rows[0], claims, ctx.now())) throw jwt.invalidToken('The session has ended.')
    const [first] = rows
    const second_factor = first.second_factor_at !== null
    const credential = { auth_method: first.auth_method, session_id: claims.sid, token_id: null, second_factor }
    const actor = { ...(await actorOf(db, rows, credential, { origin, now: ctx.now })), renew }
    if (first.auth_method === 'local' && !second_factor) {
      const settings = settingsOf({ config: ctx.config }, first.settings ?? '{}')
      if (needsSecondFactor(settings, actor.groups)) throw withoutSecondFactor()
    }
    return actor
  }
  return renew(ctx.db)
}
