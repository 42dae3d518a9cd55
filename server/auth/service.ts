import { ServiceError } from '../../contract/errors.ts'
import type { BucketAction, GlobalRight, Grant, GrantingGroup } from '../../contract/permissions.ts'
import { isAdmin } from '../../contract/permissions.ts'
import type { Actor, Ctx, Origin } from '../context.ts'
import type { Db, Tx } from '../db/schema.ts'
import { newId } from '../id.ts'
import { emailKey, findLoginByEmail, recordLogin } from '../users/service.ts'
import * as jwt from './jwt.ts'
import * as passwords from './passwords.ts'
import * as store from './store.ts'
import { beginAttempt, forgiveAttempt, retractAttempt } from './throttle.ts'

export { assertSettable, hashPassword } from './passwords.ts'

const DAY_MS = 24 * 3600_000
const FAMILY_MS = 30 * DAY_MS
/** How long a replaced refresh token still answers with its unused successor: two tabs, a lost response (J4). */
const REUSE_GRACE_MS = 30_000

interface Subject {
  user_id: string
  email: string
  display_name: string
  token_version: number
  oid?: string
}

/** Login with e-mail and password (J1). Every failure looks the same and takes the same time (P3). */
export async function login(ctx: Ctx, username: string, password: string) {
  const account = emailKey(username)
  await beginAttempt(ctx, account)
  const user = await findLoginByEmail(ctx.db, account)
  const { bcryptCost } = ctx.config
  const matches = await passwords
    .verifyPassword(password, user?.password_hash ?? null, bcryptCost)
    .catch(async (busy: unknown) => {
      await retractAttempt(ctx, account)
      throw busy
    })
  if (!user || !matches || user.disabled_at !== null) {
    const reason = !user ? 'unknown' : !matches ? (user.password_hash ? 'wrong_password' : 'no_password') : 'disabled'
    await ctx.act(async (_tx, record) =>
      record({
        name: 'login_failed',
        result: 'failure',
        status_code: 401,
        error_code: 'invalid_grant',
        ...(user ? { resource: { type: 'user', id: user.id } } : {}),
        details: { email: username.slice(0, 320), reason },
      }),
    )
    throw new ServiceError('invalid_grant', 'The e-mail or the password is wrong.')
  }
  // Where the queue is full a later login renews it: this one has succeeded.
  const renewed = passwords.isOutdated(user.password_hash ?? '', bcryptCost)
    ? await passwords.hashPassword(password, bcryptCost).catch(() => null)
    : null
  const subject = {
    user_id: user.id,
    email: user.email,
    display_name: user.display_name,
    token_version: user.token_version,
  }
  const tokens = await openSession(ctx, subject, 'local', (tx) => recordLogin(tx, user.id, ctx.now(), renewed))
  await forgiveAttempt(ctx, account)
  return tokens
}

/** Starts a session and records `login` as the one who logged in; `also` joins the transaction. */
async function openSession(ctx: Ctx, subject: Subject, method: 'local' | 'idp', also: (tx: Tx) => Promise<unknown>) {
  const sid = newId()
  const row = refreshRow(sid, ctx.now(), new Date(ctx.now().getTime() + FAMILY_MS))
  const actor: Actor = {
    ...ctx.actor,
    type: 'user',
    user_id: subject.user_id,
    email: subject.email,
    display_name: subject.display_name,
    auth_method: method,
    session_id: sid,
  }
  await ctx.as(actor).act(async (tx, record) => {
    const now = ctx.now().toISOString()
    await store.insertSession(tx, {
      id: sid,
      user_id: subject.user_id,
      auth_method: method,
      ip: actor.origin.ip,
      user_agent: actor.origin.user_agent?.slice(0, 512) ?? null,
      created_at: now,
      expires_at: new Date(ctx.now().getTime() + FAMILY_MS).toISOString(),
      last_used_at: now,
      revoked_at: null,
    })
    await store.insertRefreshToken(tx, row)
    await also(tx)
    record({ name: 'login', resource: { type: 'user', id: subject.user_id }, details: { auth_method: method } })
  })
  return tokenPair(ctx, subject, sid, row)
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

async function tokenPair(
  ctx: Ctx,
  { user_id, token_version, oid }: Subject,
  sid: string,
  row: { jti: string; issued_at: string; expires_at: string },
) {
  const claims = { sub: user_id, sid, ver: token_version, oid }
  const [access_token, refresh_token] = await Promise.all([
    jwt.signAccess(ctx.config, { ...claims, jti: newId() }, ctx.now()),
    jwt.signRefresh(ctx.config, { ...claims, jti: row.jti }, row),
  ])
  return { access_token, token_type: 'bearer' as const, expires_in: jwt.accessSeconds, refresh_token }
}

/**
 * Exchanges a refresh token for new tokens (J4). A token that was exchanged before ends its session, since one of the
 * two who hold it is a thief; for 30 seconds, while its successor is unused, the same successor is answered instead.
 */
export async function refresh(ctx: Ctx, token: string) {
  const claims = await verifierOf(ctx)(token, 'rt+jwt', ctx.now())
  const outcome = await ctx.upkeep(async (tx) => {
    const now = ctx.now()
    const session = await store.lockSession(tx, claims.sid)
    const row = await store.findRefreshToken(tx, claims.jti)
    if (!session || !row || row.session_id !== session.id || !isLive(session, claims, now))
      throw jwt.invalidToken('The refresh token is not valid any more.')
    const subject: Subject = { ...session, oid: claims.oid }
    await store.touchSession(tx, session.id, now)
    if (row.consumed_at === null) {
      const successor = refreshRow(session.id, now, new Date(session.expires_at))
      await store.insertRefreshToken(tx, successor)
      await store.consumeRefreshToken(tx, row.jti, successor.jti, now)
      return { subject, sid: session.id, row: successor }
    }
    const successor = await store.findRefreshToken(tx, row.successor_jti ?? '')
    const recent = now.getTime() - Date.parse(row.consumed_at) <= REUSE_GRACE_MS
    if (recent && successor && successor.consumed_at === null) return { subject, sid: session.id, row: successor }
    return { stolen: subject, sid: session.id }
  })
  if (outcome.row) return tokenPair(ctx, outcome.subject, outcome.sid, outcome.row)
  await endStolenSession(ctx, outcome.stolen, outcome.sid)
  throw jwt.invalidToken('The refresh token was used before; its session has been ended.')
}

async function endStolenSession(ctx: Ctx, subject: Subject, sid: string): Promise<void> {
  await ctx.act(async (tx, record) => {
    await store.revokeSession(tx, sid, ctx.now())
    record({
      name: 'refresh_reuse',
      result: 'denied',
      status_code: 401,
      error_code: 'unauthenticated',
      resource: { type: 'user', id: subject.user_id },
      details: { session_id: sid },
    })
  })
}

/** Ends the caller's session. */
export async function logout(ctx: Ctx): Promise<undefined> {
  const { session_id, user_id } = ctx.actor
  if (session_id === null || user_id === null)
    throw new ServiceError('conflict', 'This credential has no session to end.')
  await ctx.act(async (tx, record) => {
    await store.revokeSession(tx, session_id, ctx.now())
    record({ name: 'logout', resource: { type: 'user', id: user_id }, details: {} })
  })
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
/** Whether nothing has ended the session since the token was issued (J7, O9). */
const isLive = (row: Revocable, claims: jwt.Claims, now: Date): boolean =>
  row.user_id === claims.sub &&
  row.disabled_at === null &&
  row.revoked_at === null &&
  Date.parse(row.expires_at) > now.getTime() &&
  row.token_version === claims.ver &&
  (row.auth_method === 'idp' ? claims.oid !== undefined && row.idp_subject === claims.oid : claims.oid === undefined)

const verifiers = new WeakMap<object, jwt.Verifier>()
function verifierOf({ config }: Pick<Ctx, 'config'>): jwt.Verifier {
  let verifier = verifiers.get(config)
  if (!verifier) {
    verifier = jwt.createVerifier(config)
    verifiers.set(config, verifier)
  }
  return verifier
}

/** The actor behind an access token, with the rights they have now; throws `unauthenticated` (401). One query. */
export async function authenticateToken(
  ctx: { config: Ctx['config']; db: Db; now(): Date },
  token: string,
  origin: Origin,
): Promise<Actor> {
  const now = ctx.now()
  const claims = await verifierOf(ctx)(token, 'at+jwt', now)
  const rows = await store.findSessionRows(ctx.db, claims.sid)
  const [first] = rows
  if (!first || !isLive(first, claims, now)) throw jwt.invalidToken('The session has ended.')
  return {
    type: 'user',
    user_id: first.user_id,
    email: first.email,
    display_name: first.display_name,
    auth_method: first.auth_method,
    session_id: claims.sid,
    token_id: null,
    groups: groupsOf(rows),
    origin,
  }
}

function groupsOf(rows: readonly store.SessionRow[]): GrantingGroup[] {
  const groups = new Map<string, GrantingGroup & { grants: Grant[] }>()
  for (const row of rows) {
    if (row.group_id === null) continue
    let group = groups.get(row.group_id)
    if (!group) {
      const global = JSON.parse(row.global ?? '[]') as GlobalRight[]
      group = { id: row.group_id, name: row.group_name ?? '', global, grants: [] }
      groups.set(row.group_id, group)
    }
    if (row.grant_id !== null)
      group.grants.push({
        id: row.grant_id,
        bucket_pattern: row.bucket_pattern ?? '',
        prefix: row.prefix ?? '',
        actions: JSON.parse(row.actions ?? '[]') as BucketAction[],
      })
  }
  return [...groups.values()]
}

/** What `GET /auth/me` answers: the caller with everything their groups give them. */
export function describeCaller({ actor }: Ctx) {
  return {
    id: actor.user_id ?? '',
    email: actor.email ?? '',
    display_name: actor.display_name ?? '',
    is_admin: isAdmin(actor.groups),
    groups: actor.groups.map(({ id, name }) => ({ id, name })),
    permissions: {
      global: [...new Set(actor.groups.flatMap((group) => group.global))],
      grants: actor.groups.flatMap((group) =>
        group.grants.map(({ id, bucket_pattern, prefix, actions }) => ({
          group_id: group.id,
          grant_id: id,
          bucket_pattern,
          prefix,
          actions: [...actions],
        })),
      ),
    },
  }
}

/** Deletes sessions, refresh tokens and counters that can have no effect any more (J5). */
export const expiryWorker = {
  name: 'auth-expiry',
  every: 3600_000,
  run: (ctx: Ctx) => ctx.upkeep((tx) => store.deleteExpired(tx, ctx.now())),
}
