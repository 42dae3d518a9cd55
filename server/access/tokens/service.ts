import type { NewScope, NewToken, Token } from '../../../contract/tokens.ts'
import type { Ctx } from '../../context.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { keyRevoked } from '../access-keys/describe.ts'
import { issueCredential } from '../credentials/issue.ts'
import {
  credentialMissing,
  describeUse,
  graceUntil,
  listOf,
  lockToRotate,
  expiryNotices as noticesOf,
  revokeKeysOf,
  revokeOne,
  revokeWithDescendants,
} from '../credentials/manage.ts'
import { describeScope, scopeOf, scopeText } from '../sessions/scope.ts'
import * as store from './store.ts'
import { newTokenValue, prefixOf } from './value.ts'

/** What a new token is to have. */
export interface TokenRequest {
  name: string
  expires_in?: string | number | undefined
  /** Null or missing: everything that its owner may do. */
  scope?: NewScope | null | undefined
}

/** Creates a token for the caller; only this response contains its value. 409 if they have 50 valid ones. */
export function createToken(ctx: Ctx, { name, expires_in, scope }: TokenRequest): Promise<NewToken> {
  const value = newTokenValue()
  return ctx.act(async (step) => {
    const { tx, record } = step
    const row: store.TokenRow = {
      ...(await issueCredential(step, 'tokens', { name, expiresIn: expires_in })),
      scope: scopeText(scope ?? null),
      token_prefix: prefixOf(value),
      token_hash: hashSecret(value),
      previous_hash: null,
    }
    await store.insertToken(tx, row)
    const { token_prefix, expires_at, created_by_token_id } = row
    record({
      name: 'token_create',
      resource: { type: 'token', id: row.id },
      details: { name: row.name, token_prefix, scope: scopeOf(row.scope), expires_at, created_by_token_id },
    })
    return describeNew(row, value)
  })
}

const describeNew = (row: store.TokenRow, token: string): NewToken => ({
  id: row.id,
  name: row.name,
  token,
  token_prefix: row.token_prefix,
  scope: describeScope(scopeOf(row.scope)),
  created_at: row.created_at,
  expires_at: row.expires_at,
})

/** The caller's tokens or, for administrators, any user's; newest first. Throws not_found. */
export const listTokens = (ctx: Ctx, of: Parameters<typeof listOf>[2]) => listOf(ctx, 'tokens', of, describe)

const describe = (row: store.TokenRow, now: Date): Token => ({
  id: row.id,
  name: row.name,
  token_prefix: row.token_prefix,
  scope: describeScope(scopeOf(row.scope)),
  ...describeUse(row, now),
})

/**
 * Revokes a token; with `cascade` also the tokens and access keys created with it, directly or not. Throws not_found if
 * there is nothing left to revoke.
 */
export async function revokeToken(ctx: Ctx, id: string, cascade: boolean): Promise<undefined> {
  await ctx.act(async (step) => {
    const { record } = step
    const { revoked, ids } = cascade
      ? await revokeWithDescendants(step, id)
      : { revoked: [await revokeOne(step, 'tokens', id)], ids: [] }
    const keys = await revokeKeysOf(step, ids)
    if (revoked.length === 0 && keys.length === 0) throw credentialMissing('tokens')
    for (const { id: one, name, token_prefix, user_id } of revoked)
      record({
        name: 'token_revoke',
        resource: { type: 'token', id: one },
        details: { name, token_prefix, reason: one === id ? 'requested' : 'cascade', user_id },
      })
    for (const key of keys) record(keyRevoked(key, 'cascade'))
  })
}

/**
 * Gives one of the caller's tokens a new value; the old one expires after the grace period. Throws conflict if the
 * token is not valid.
 */
export function rotateToken(ctx: Ctx, id: string, graceSeconds: number): Promise<NewToken> {
  const value = newTokenValue()
  return ctx.act(async (step) => {
    const { tx, record } = step
    const row = await lockToRotate(step, 'tokens', id)
    const next = {
      token_hash: hashSecret(value),
      token_prefix: prefixOf(value),
      previous_hash: row.token_hash,
      previous_until: graceUntil(ctx.now(), graceSeconds),
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

/** Records that a token is about to expire, and tells its owner. */
export const expiryNotices = noticesOf(
  'tokens',
  ({ id, name, token_prefix, expires_at }, days) => ({
    name: 'token_expiring',
    resource: { type: 'token', id },
    details: { name, token_prefix, expires_at: expires_at ?? '', days },
  }),
  ({ token_prefix }) => `${token_prefix}…`,
)
