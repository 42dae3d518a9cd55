import type { NewAccessKey } from '../../../contract/access-keys.ts'
import { ServiceError } from '../../../contract/errors.ts'
import type { NewScope } from '../../../contract/tokens.ts'
import type { Ctx, Step } from '../../context.ts'
import { issueCredential, issueFor } from '../credentials/issue.ts'
import {
  graceUntil,
  listOf,
  lockAnyones,
  lockToRotate,
  expiryNotices as noticesOf,
  revokeOne,
} from '../credentials/manage.ts'
import { keyPoliciesOf, keyPolicyOf, setKeyPolicyStep } from '../identity-policies/of-key.ts'
import { scopeOf, scopeText } from '../sessions/scope.ts'
import { describe, describeNew, keyRevoked } from './describe.ts'
import { newAccessKeyId, newSecret, resealSecret, sealSecret, unsealSecret } from './secret.ts'
import * as store from './store.ts'

/** What a new key is to have. */
export interface AccessKeyRequest {
  name: string
  expires_in?: string | number | undefined
  /** Null or missing: everything that its owner may do. */
  scope?: NewScope | null | undefined
}

/** Creates an access key for the caller; only this response contains its secret. 409 if they have 50 valid ones. */
export function createAccessKey(ctx: Ctx, { name, expires_in, scope }: AccessKeyRequest): Promise<NewAccessKey> {
  const access_key_id = newAccessKeyId()
  const secret = newSecret()
  return ctx.act(async (step) => {
    const issued = await issueCredential(step, 'access_keys', { name, expiresIn: expires_in })
    const row = {
      ...issued,
      ...pair(step, access_key_id, secret),
      scope: scopeText(scope ?? null),
      deactivated_at: null,
    }
    await insert(step, row)
    return describeNew(row, secret)
  })
}

/** Step: the columns of a key pair. */
export const pair = ({ config }: Step, access_key_id: string, secret: string) => ({
  access_key_id,
  secret: sealSecret(config, access_key_id, secret),
  previous_secret: null,
})

/** Step: inserts a key and records it. Throws already_exists if its id is taken. */
export async function insert(
  { tx, record }: Step,
  row: store.AccessKeyRow,
  more: { imported?: true; policy?: string } = {},
): Promise<void> {
  const { id, name, access_key_id, expires_at, created_by_token_id, user_id } = row
  if (!(await store.insertAccessKey(tx, row)))
    throw new ServiceError('already_exists', `There is an access key ${access_key_id} already.`)
  record({
    name: 'access_key_create',
    resource: { type: 'access_key', id },
    details: { name, access_key_id, scope: scopeOf(row.scope), expires_at, created_by_token_id, user_id, ...more },
  })
}

/** A key pair that another system made. */
export interface ForeignKey {
  name: string
  accessKeyId: string
  secret: string
  scope?: NewScope | null | undefined
  /** The text of the policy that limits it; null or missing: there is none. */
  policy?: string | null | undefined
  /** When it expires; null or missing: never. */
  expires_at?: string | null | undefined
}

/**
 * Gives a user a key pair that another system made, so that its clients need no change; for someone with a shell on the
 * machine, and for administrators. Throws not_found, already_exists, limit_reached or MalformedPolicy.
 */
export const importAccessKey = (
  ctx: Ctx,
  userId: string,
  { name, accessKeyId, secret, scope = null, policy = null, expires_at = null }: ForeignKey,
): Promise<void> =>
  ctx.act(async (step) => {
    const issued = await issueFor(step, 'access_keys', { userId, name })
    const row = {
      ...issued,
      ...pair(step, accessKeyId, secret),
      scope: scopeText(scope),
      expires_at,
      deactivated_at: null,
    }
    await insert(step, row, { imported: true, ...(policy === null ? {} : { policy }) })
    if (policy !== null) await setKeyPolicyStep(step, row.id, policy)
  })

/** What can be changed of a key. */
export type KeyChange = Partial<Pick<ForeignKey, 'name' | 'secret' | 'scope' | 'policy' | 'expires_at'>>

/** Changes anyone's access key; for administrators. An old secret stops working at once. Throws not_found or MalformedPolicy. */
export const updateAccessKey = (ctx: Ctx, id: string, change: KeyChange): Promise<undefined> =>
  ctx.act(async (step) => {
    const { tx, record } = step
    const row = await lockAnyones(step, 'access_keys', id)
    const { name, secret, scope, policy, expires_at } = change
    const next = {
      ...(name === undefined ? {} : { name: name.trim() }),
      ...(scope === undefined ? {} : { scope: scopeText(scope) }),
      // Whoever was told that it is about to expire is told again.
      ...(expires_at === undefined ? {} : { expires_at, notice_days: null }),
      ...(secret === undefined ? {} : { ...pair(step, row.access_key_id, secret), previous_until: null }),
    }
    if (Object.keys(next).length > 0) await store.updateAccessKey(tx, id, next)
    const policyBefore = policy === undefined ? undefined : await keyPolicyOf(tx, id)
    if (policy !== undefined) await setKeyPolicyStep(step, id, policy)
    const side = (one: store.AccessKeyRow, itsPolicy: string | null | undefined) => ({
      ...(name === undefined ? {} : { name: one.name }),
      ...(scope === undefined ? {} : { scope: scopeOf(one.scope) }),
      ...(policy === undefined ? {} : { policy: itsPolicy }),
      ...(expires_at === undefined ? {} : { expires_at: one.expires_at }),
    })
    const { access_key_id, user_id } = row
    record({
      name: 'access_key_update',
      resource: { type: 'access_key', id },
      details: {
        name: row.name,
        access_key_id,
        user_id,
        before: side(row, policyBefore),
        after: side({ ...row, ...next }, policy),
        ...(secret === undefined ? {} : { secret_changed: true as const }),
      },
    })
    return undefined
  })

/**
 * Gives a user this key pair unless there is one with its ID; for a start of the service. Returns how an existing one
 * differs: it is never changed. Throws not_found or limit_reached.
 */
export async function ensureAccessKey(
  ctx: Ctx,
  userId: string,
  { name, accessKeyId, secret }: { name: string; accessKeyId: string; secret: string },
): Promise<string[]> {
  const [existing] = (await store.findKey(ctx.db, accessKeyId)) ?? []
  if (!existing) {
    await importAccessKey(ctx, userId, { name, accessKeyId, secret })
    return []
  }
  const { revoked_at, expires_at } = existing
  const isExpired = expires_at !== null && Date.parse(expires_at) <= ctx.now().getTime()
  return [
    ...(unsealSecret(ctx.config, accessKeyId, existing.secret) === secret ? [] : ['its secret is another one']),
    ...(existing.user_id === userId ? [] : [`it belongs to ${existing.email ?? 'another user'}`]),
    ...(revoked_at === null ? [] : ['it is revoked']),
    ...(isExpired ? ['it has expired'] : []),
  ]
}

/** The caller's access keys or, for administrators, any user's; newest first. Throws not_found. */
export async function listAccessKeys(ctx: Ctx, of: Parameters<typeof listOf>[2]) {
  const { items, next_cursor } = await listOf(ctx, 'access_keys', of, describe)
  const policies = await keyPoliciesOf(
    ctx.db,
    items.map(({ id }) => id),
  )
  return { items: items.map((item) => ({ ...item, policy: policies.get(item.id) ?? null })), next_cursor }
}

/** Revokes an access key. Throws not_found if it is revoked already. */
export const revokeAccessKey = (ctx: Ctx, id: string): Promise<undefined> =>
  ctx.act(async (step) => {
    step.record(keyRevoked(await revokeOne(step, 'access_keys', id), 'requested'))
    return undefined
  })

/**
 * Gives one of the caller's access keys a new secret; the old one works during the grace period. Throws conflict if the
 * key is not valid.
 */
export function rotateAccessKey(ctx: Ctx, id: string, graceSeconds: number): Promise<NewAccessKey> {
  const secret = newSecret()
  return ctx.act(async (step) => {
    const { tx, record } = step
    const row = await lockToRotate(step, 'access_keys', id)
    const next = {
      ...pair(step, row.access_key_id, secret),
      previous_secret: row.secret,
      previous_until: graceUntil(ctx.now(), graceSeconds),
    }
    await store.updateAccessKey(tx, id, next)
    record({
      name: 'access_key_rotate',
      resource: { type: 'access_key', id },
      details: { name: row.name, access_key_id: row.access_key_id, grace_seconds: graceSeconds },
    })
    return describeNew({ ...row, ...next }, secret)
  })
}

/** Records that an access key is about to expire, and tells its owner. */
export const expiryNotices = noticesOf(
  'access_keys',
  ({ id, name, access_key_id, expires_at }, days) => ({
    name: 'access_key_expiring',
    resource: { type: 'access_key', id },
    details: { name, access_key_id, expires_at: expires_at ?? '', days },
  }),
  ({ access_key_id }) => access_key_id,
)

/** Re-encrypts secrets that still use a previous SECRET_KEY; returns how many. */
export const resealAccessKeys = (ctx: Ctx): Promise<number> =>
  ctx.upkeep(async ({ tx }) => {
    let count = 0
    for (const { id, access_key_id, secret: current, previous_secret: previous } of await store.lockAll(tx)) {
      const secret = resealSecret(ctx.config, access_key_id, current)
      const previous_secret = previous === null ? null : resealSecret(ctx.config, access_key_id, previous)
      const changed = Number(secret !== current) + Number(previous_secret !== previous)
      if (changed > 0) await store.updateAccessKey(tx, id, { secret, previous_secret })
      count += changed
    }
    return count
  })
