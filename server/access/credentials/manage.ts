import type { Action } from '../../../contract/actions.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import type { Token } from '../../../contract/tokens.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { enqueueMail } from '../mail/enqueue.ts'
import { credentialExpiring } from '../mail/messages.ts'
import * as store from './store.ts'

const EXPIRING_DAYS = 7
/** Days before expiry at which the owner is notified, the later notice first. */
const NOTICES = [1, 7] as const

/** The caller's credentials, or for administrators those of `userId`, newest first. Throws not_found. */
export async function listOf<T extends store.CredentialTable, D>(
  ctx: Ctx,
  table: T,
  { userId, limit = 100, cursor }: { userId?: string; limit?: number | undefined; cursor?: string | undefined },
  describe: (row: store.CredentialRow<T>, now: Date) => D,
): Promise<{ items: D[]; next_cursor: string | null }> {
  if (userId !== undefined && !(await store.findUser(ctx.db, userId)))
    throw new ServiceError('not_found', 'No such user.')
  const [before] = decodeCursor(cursor, 1) ?? []
  const owner = userId ?? ctx.actor.user_id ?? ''
  const rows = await store.listCredentials(ctx.db, table, owner, { before, limit: limit + 1 })
  const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [id])
  return { items: page.map((row) => describe(row, ctx.now())), next_cursor }
}

/** The caller's credentials that are valid and expire soon, the next to do so first. */
export const listExpiring = <T extends store.CredentialTable>(ctx: Ctx, table: T, limit: number) =>
  store.findExpiringOf(ctx.db, table, ctx.actor.user_id ?? '', { now: ctx.now(), days: EXPIRING_DAYS, limit })

/** Whether the caller has ever made a credential. */
export const hasMade = ({ db, actor }: Ctx, table: store.CredentialTable): Promise<boolean> =>
  store.hasCredential(db, table, actor.user_id ?? '')

/** What is shown of an existing credential besides its value. */
export const describeUse = (row: Omit<Row<'tokens'>, 'token_prefix' | 'token_hash' | 'previous_hash'>, now: Date) => ({
  created_at: row.created_at,
  expires_at: row.expires_at,
  last_used_at: row.last_used_at,
  last_used_ip: row.last_used_ip,
  revoked_at: row.revoked_at,
  status: statusOf(row, now),
  created_via: row.created_via,
  created_by_token_id: row.created_by_token_id,
})

/** Whether a credential can be used, and `expiring` in its last seven days. */
function statusOf(
  { revoked_at, expires_at }: Pick<Row<'tokens'>, 'revoked_at' | 'expires_at'>,
  now: Date,
): Token['status'] {
  if (revoked_at !== null) return 'revoked'
  if (expires_at === null) return 'active'
  const left = Date.parse(expires_at) - now.getTime()
  if (left <= 0) return 'expired'
  return left <= EXPIRING_DAYS * DAY_MS ? 'expiring' : 'active'
}

export const credentialMissing = (table: store.CredentialTable) =>
  new ServiceError('not_found', table === 'tokens' ? 'No such token.' : 'No such access key.')

/** Step: a credential of the caller or, for administrators with `orAdmin`, of anyone. Any other is not_found. */
async function lockOwn<T extends store.CredentialTable>(
  step: Step,
  table: T,
  id: string,
  { orAdmin }: { orAdmin: boolean },
): Promise<store.CredentialRow<T>> {
  const { tx } = step
  const row = await store.lockCredential(tx, table, id)
  if (row && (row.user_id === step.actor.user_id || (orAdmin && isAdmin(step.actor.groups)))) return row
  throw credentialMissing(table)
}

/** Step: anyone's credential, for administrators. Throws not_found if the caller is none, or if it is revoked. */
export async function lockAnyones<T extends store.CredentialTable>(
  step: Step,
  table: T,
  id: string,
): Promise<store.CredentialRow<T>> {
  const row = await lockOwn(step, table, id, { orAdmin: true })
  if (row.revoked_at !== null) throw credentialMissing(table)
  return row
}

/** Step: one's own credential that is to have a new value. Throws conflict if it is no longer valid. */
export async function lockToRotate<T extends store.CredentialTable>(
  step: Step,
  table: T,
  id: string,
): Promise<store.CredentialRow<T>> {
  const row = await lockOwn(step, table, id, { orAdmin: false })
  if (row.revoked_at === null && (row.expires_at === null || Date.parse(row.expires_at) > step.now().getTime()))
    return row
  throw new ServiceError('conflict', `The ${table === 'tokens' ? 'token' : 'access key'} is no longer valid.`)
}

/** When a value that is being replaced stops working. Without a grace period it has expired by any replica's clock. */
export const graceUntil = (now: Date, graceSeconds: number): string =>
  new Date(graceSeconds === 0 ? 0 : now.getTime() + graceSeconds * 1000).toISOString()

/**
 * Step: revokes a credential of the caller, or of anyone for administrators; returns its row. Throws not_found if it is
 * revoked already.
 */
export async function revokeOne<T extends store.CredentialTable>(
  step: Step,
  table: T,
  id: string,
): Promise<store.CredentialRow<T>> {
  const { tx } = step
  await lockOwn(step, table, id, { orAdmin: true })
  const [revoked] = await store.revokeCredentials(tx, table, [id], step.now())
  if (!revoked) throw credentialMissing(table)
  return revoked
}

/** Step: revokes credentials, for those who were permitted that otherwise; returns the rows of those that were not revoked yet. */
export const revokePermitted = store.revokeCredentials

/**
 * Step: revokes a token and all tokens created with it, directly or not; returns their rows, and the ids of all, revoked
 * now or before. Throws not_found if the caller may not revoke it.
 */
export async function revokeWithDescendants(
  step: Step,
  id: string,
): Promise<{ revoked: Row<'tokens'>[]; ids: string[] }> {
  const { tx } = step
  // The lock that creating a token takes, so that no descendant is created meanwhile.
  const owner = await store.findOwner(tx, 'tokens', id)
  if (owner !== undefined) await store.lockOwner(tx, owner)
  await lockOwn(step, 'tokens', id, { orAdmin: true })
  const ids = [id]
  for (let level = ids.slice(); level.length > 0; ids.push(...level))
    level = await store.findChildren(tx, 'tokens', level)
  return { revoked: await store.revokeCredentials(tx, 'tokens', ids, step.now()), ids }
}

/** Step: revokes the access keys that were created with these tokens; returns their rows. */
export async function revokeKeysOf(step: Step, tokenIds: readonly string[]): Promise<Row<'access_keys'>[]> {
  const { tx } = step
  return store.revokeCredentials(tx, 'access_keys', await store.findChildren(tx, 'access_keys', tokenIds), step.now())
}

/**
 * A worker that records when credentials are about to expire, and mails their owners: seven days and one day before, once
 * each. Nobody gets a mail about one that was made for so short a time.
 */
export const expiryNotices = <T extends store.CredentialTable>(
  table: T,
  actionOf: (row: store.CredentialRow<T>, days: number) => Action,
  markOf: (row: store.CredentialRow<T>) => string,
) => ({
  name: table === 'tokens' ? 'token-expiry-notices' : 'access-key-expiry-notices',
  every: HOUR_MS,
  async run(ctx: Ctx): Promise<void> {
    for (const days of NOTICES)
      for (const row of await store.findExpiring(ctx.db, table, ctx.now(), { days, limit: 1000 }))
        await ctx.act(async (step) => {
          if (!(await store.claimNotice(step.tx, table, row.id, days))) return step.nothing(undefined)
          step.record(actionOf(row, days))
          await mailOwner(step, table, { row, days, mark: markOf(row) })
          return undefined
        })
  },
})

async function mailOwner(
  step: Step,
  table: store.CredentialTable,
  { row, days, mark }: { row: store.Lasting; days: number; mark: string },
): Promise<void> {
  const { id, user_id, name, created_at, expires_at } = row
  if (expires_at === null || Date.parse(expires_at) - Date.parse(created_at) <= days * DAY_MS) return
  await enqueueMail(step, {
    kind: table === 'tokens' ? 'token_expiring' : 'access_key_expiring',
    about: `${id}:${expires_at}:${days}d`,
    to: { user_id },
    message: credentialExpiring({ kind: table, name, mark, expires_at, now: step.now() }),
  })
}
