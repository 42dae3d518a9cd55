import { type Fault, ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import { type NewToken, namedLifetimes, type Token } from '../../../contract/tokens.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { newId } from '../../base/id.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { invalidToken } from '../sessions/jwt.ts'
import { settingsInForce } from '../settings/effective.ts'
import * as store from './store.ts'
import { newTokenValue, prefixOf } from './value.ts'

const MOST_LIVE = 50
const TEN_YEARS_SECONDS = 315_360_000
const EXPIRING_DAYS = 7
/** Days before expiry at which the owner is notified, the later notice first. */
const NOTICES = [1, 7] as const

const tokenMissing = () => new ServiceError('not_found', 'No such token.')
const badExpiry = (message: string) => {
  const faults: Fault[] = [{ path: 'body.expires_in', message }]
  return new ServiceError('invalid_request', `body.expires_in ${message}`, { faults })
}

/** A lifetime in seconds; null for `never`. */
function lifetimeSeconds(expiresIn: string | number): number | null {
  if (expiresIn === 'never') return null
  if (typeof expiresIn === 'string' && expiresIn in namedLifetimes)
    return namedLifetimes[expiresIn as keyof typeof namedLifetimes] * (DAY_MS / 1000)
  const seconds = Number(expiresIn)
  if (seconds > TEN_YEARS_SECONDS) throw badExpiry('must be at most ten years')
  return seconds
}

/** Creates a token for the caller; only this response contains its value. 409 if they have 50 valid ones. */
export function createToken(ctx: Ctx, name: string, expiresIn: string | number = 'never'): Promise<NewToken> {
  const { user_id, token_id, auth_method } = ctx.actor
  const seconds = lifetimeSeconds(expiresIn)
  const value = newTokenValue()
  return ctx.act(async (step) => {
    const { tx, record } = step
    const { tokens } = await settingsInForce(step)
    const now = ctx.now()
    const longest = tokens.max_lifetime_days * (DAY_MS / 1000)
    if (longest > 0 && (seconds === null || seconds > longest))
      throw badExpiry(`must be at most ${tokens.max_lifetime_days} days, by the service's settings`)
    if (!user_id || !(await store.lockOwner(tx, user_id))) throw tokenMissing()
    if ((await store.countLive(tx, user_id, now)) >= MOST_LIVE)
      throw new ServiceError('limit_reached', `You have ${MOST_LIVE} valid tokens, the maximum; revoke one first.`)
    const parent = token_id === null ? undefined : await store.findToken(tx, token_id)
    // The token used here may have been revoked, with its descendants, while this waited for the owner's row.
    if (token_id !== null && (!parent || parent.revoked_at !== null)) throw invalidToken('The token is invalid.')
    const wanted = seconds === null ? null : new Date(now.getTime() + seconds * 1000).toISOString()
    const expires_at = tokens.cap_child_expiry ? earlier(wanted, parent?.expires_at ?? null) : wanted
    const row: store.TokenRow = {
      id: newId(),
      user_id,
      name: name.trim(),
      token_prefix: prefixOf(value),
      token_hash: hashSecret(value),
      previous_hash: null,
      previous_until: null,
      created_at: now.toISOString(),
      created_via: auth_method === 'idp' || auth_method === 'pat' ? auth_method : 'local',
      created_by_token_id: token_id,
      expires_at,
      last_used_at: null,
      last_used_ip: null,
      revoked_at: null,
      notice_days: null,
    }
    await store.insertToken(tx, row)
    record({
      name: 'token_create',
      resource: { type: 'token', id: row.id },
      details: { name: row.name, token_prefix: row.token_prefix, expires_at, created_by_token_id: token_id },
    })
    return describeNew(row, value)
  })
}

const earlier = (a: string | null, b: string | null): string | null => (a === null ? b : b === null || a < b ? a : b)

const describeNew = (row: store.TokenRow, token: string): NewToken => ({
  id: row.id,
  name: row.name,
  token,
  token_prefix: row.token_prefix,
  created_at: row.created_at,
  expires_at: row.expires_at,
})

/** The caller's tokens, newest first. */
export const listTokens = (ctx: Ctx, limit: number, cursor: string | undefined) =>
  listOf(ctx, ctx.actor.user_id ?? '', limit, cursor)

/** Any user's tokens, for administrators; throws not_found. */
export async function listUserTokens(ctx: Ctx, userId: string, limit: number, cursor: string | undefined) {
  if (!(await store.findUser(ctx.db, userId))) throw new ServiceError('not_found', 'No such user.')
  return listOf(ctx, userId, limit, cursor)
}

async function listOf(ctx: Ctx, userId: string, limit: number, cursor: string | undefined) {
  const [before] = decodeCursor(cursor, 1) ?? []
  const rows = await store.listTokens(ctx.db, userId, before, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [id])
  return { items: page.map((row) => describe(row, ctx.now())), next_cursor }
}

function statusOf({ revoked_at, expires_at }: store.TokenRow, now: Date): Token['status'] {
  if (revoked_at !== null) return 'revoked'
  if (expires_at === null) return 'active'
  const left = Date.parse(expires_at) - now.getTime()
  if (left <= 0) return 'expired'
  return left <= EXPIRING_DAYS * DAY_MS ? 'expiring' : 'active'
}

function describe(row: store.TokenRow, now: Date): Token {
  return {
    id: row.id,
    name: row.name,
    token_prefix: row.token_prefix,
    created_at: row.created_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    last_used_ip: row.last_used_ip,
    revoked_at: row.revoked_at,
    status: statusOf(row, now),
    created_via: row.created_via,
    created_by_token_id: row.created_by_token_id,
  }
}

/** A token the caller may revoke: their own or, for administrators, anyone's. Any other is reported as not found. */
async function lockOwn(step: Step, id: string, orAdmin: boolean): Promise<store.TokenRow> {
  const { tx } = step
  const row = await store.lockToken(tx, id)
  if (row && (row.user_id === step.actor.user_id || (orAdmin && isAdmin(step.actor.groups)))) return row
  throw tokenMissing()
}

/** Revokes a token; with `cascade` also its descendants. Throws not_found if it is revoked already. */
export async function revokeToken(ctx: Ctx, id: string, cascade: boolean): Promise<undefined> {
  await ctx.act(async (step) => {
    const { tx, record } = step
    // The lock that creating a token takes, so that no descendant is created meanwhile.
    const owner = cascade ? (await store.findToken(tx, id))?.user_id : undefined
    if (owner !== undefined) await store.lockOwner(tx, owner)
    const row = await lockOwn(step, id, true)
    const ids = cascade ? [id, ...(await descendants(tx, id))] : [id]
    const revoked = await store.revokeTokens(tx, ids, ctx.now())
    if (revoked.length === 0 || (!cascade && row.revoked_at !== null)) throw tokenMissing()
    for (const { id: one, name, token_prefix, user_id } of revoked)
      record({
        name: 'token_revoke',
        resource: { type: 'token', id: one },
        details: { name, token_prefix, reason: one === id ? 'requested' : 'cascade', user_id },
      })
  })
}

async function descendants(db: Db, id: string): Promise<string[]> {
  const found: string[] = []
  for (let level = await store.findChildren(db, [id]); level.length > 0; level = await store.findChildren(db, level))
    found.push(...level)
  return found
}

/**
 * Gives one of the caller's tokens a new value; the old one expires after the grace period. Throws conflict if the
 * token is not valid.
 */
export function rotateToken(ctx: Ctx, id: string, graceSeconds: number): Promise<NewToken> {
  const value = newTokenValue()
  return ctx.act(async (step) => {
    const { tx, record } = step
    const row = await lockOwn(step, id, false)
    const now = ctx.now()
    if (row.revoked_at !== null || (row.expires_at !== null && Date.parse(row.expires_at) <= now.getTime()))
      throw new ServiceError('conflict', 'The token is no longer valid.')
    const next = {
      token_hash: hashSecret(value),
      token_prefix: prefixOf(value),
      previous_hash: row.token_hash,
      // Without a grace period it has expired by any replica's clock.
      previous_until: new Date(graceSeconds === 0 ? 0 : now.getTime() + graceSeconds * 1000).toISOString(),
    }
    await store.replaceValue(tx, id, next)
    record({
      name: 'token_rotate',
      resource: { type: 'token', id },
      details: {
        name: row.name,
        token_prefix: next.token_prefix,
        previous_prefix: row.token_prefix,
        grace_seconds: graceSeconds,
      },
    })
    return describeNew({ ...row, ...next }, value)
  })
}

/** Records that a token is about to expire: seven days and one day before, once each. */
export const expiryNotices = {
  name: 'token-expiry-notices',
  every: HOUR_MS,
  async run(ctx: Ctx): Promise<void> {
    for (const days of NOTICES)
      for (const row of await store.findExpiring(ctx.db, ctx.now(), days, 1000))
        await ctx.act(async ({ tx, record, nothing }) => {
          if (!(await store.claimNotice(tx, row.id, days))) return nothing(undefined)
          record({
            name: 'token_expiring',
            resource: { type: 'token', id: row.id },
            details: { name: row.name, token_prefix: row.token_prefix, expires_at: row.expires_at ?? '', days },
          })
          return undefined
        })
  },
}
