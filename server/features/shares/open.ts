import { ServiceError } from '../../../contract/errors.ts'
import { afterPrefix, compareKeys } from '../../../contract/permissions.ts'
import type { Sender } from '../../../contract/shares.ts'
import { NO_APPROVAL } from '../../access/agent-limits/acting.ts'
import { actorOfUser } from '../../access/sessions/service.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { newId } from '../../base/id.ts'
import type { Actor, Ctx } from '../../context.ts'
import { standbyRefuses } from '../../http/standby.ts'
import { isReached, type Reach, reachOf } from '../../iam/decide.ts'
import { withoutCredentials } from '../../observe/log.ts'
import { hashSecret } from '../../secrets/sign.ts'
import * as accessStore from './accesses/store.ts'
import * as store from './store.ts'

const USAGE_SHARDS = 16

/** Expired, revoked, used up and unknown links get the same 410, so that nobody learns which it was. */
export const gone = () =>
  new ServiceError('gone', 'This link is not valid: it has expired, was revoked or used up, or never existed.')

/** A link that is currently valid. */
export interface OpenLink {
  row: store.ShareRow
  /** Whose rights it has; null if the settings let links outlive their creator's rights. */
  creator: Actor | null
}

/** Finds a token's link and checks that it is valid, except for the password. Throws gone. */
export async function findLink(ctx: Ctx, token: string): Promise<OpenLink> {
  // Each use of a link is counted or noted, which a standby cannot.
  if (ctx.config.standbyOf !== null)
    throw standbyRefuses('Links are opened by the main service, which notes who used them.')
  const row = await store.findByHash(ctx.db, hashSecret(token))
  if (!row) throw gone()
  return openLink(ctx, row)
}

/** Like `findLink`, for the link's row; in a transaction pass its `tx` as `db`. */
export async function openLink(ctx: Pick<Ctx, 'db' | 'config' | 'now' | 'actor'>, row: store.ShareRow) {
  if (row.revoked_at !== null) throw gone()
  if (row.expires_at !== null && Date.parse(row.expires_at) <= ctx.now().getTime()) throw gone()
  const { shares } = await settingsInForce(ctx)
  // Without its agent there is nothing that limits it.
  if (!shares.require_creator_access && row.agent_id === null) return { row, creator: null }
  const creator = await actorOfUser(ctx, row.created_by, row.agent_id)
  if (!creator) throw gone()
  return { row, creator }
}

/**
 * The key ranges that the link still opens: where its creator has the right and may share. Empty means that it is dead.
 */
export function openRanges({ row, creator }: OpenLink, action: 'read' | 'write', prefix: string): Reach[] {
  if (!creator) return [{ from: prefix, to: afterPrefix(prefix) }]
  const [first, second] = [action, 'share' as const].map((one) => reachOf(creator, one, row.bucket, prefix)) as [
    Reach[],
    Reach[],
  ]
  return first.flatMap((one) => second.flatMap((other) => common(one, other)))
}

/** The intersection of two ranges: none or one. */
export function common(a: Reach, b: Reach): Reach[] {
  const from = compareKeys(a.from, b.from) > 0 ? a.from : b.from
  const to = a.to === null || (b.to !== null && compareKeys(b.to, a.to) < 0) ? b.to : a.to
  if (to !== null && compareKeys(from, to) >= 0) return []
  const both = a.only && b.only ? (key: string) => a.only?.(key) === true && b.only?.(key) === true : (a.only ?? b.only)
  return [both ? { from, to, only: both } : { from, to }]
}

/** The same, where a link without any is not valid any more. */
export function rangesOf(link: OpenLink, prefix: string): Reach[] {
  const ranges = openRanges(link, 'read', prefix)
  if (ranges.length === 0) throw gone()
  return ranges
}
export const isOpen = isReached

/**
 * Whoever uses a link, as the audit log and the history of objects have them. What they do with the link of an agent is done
 * with that agent, as far as the log, a rollback and its budgets go; a user has approved the link, if that was needed.
 */
export function visitorOf(ctx: Ctx, { row, creator }: OpenLink): Ctx {
  const visitor: Actor = { ...ctx.actor, auth_method: 'share_link', share_id: row.id }
  if (creator?.agent) {
    visitor.agent = { ...creator.agent, approval: NO_APPROVAL, ofLink: true }
    visitor.token_id = creator.agent.id
  }
  return ctx.as(visitor)
}

type Outcome = 'opened' | 'served' | 'previewed' | 'continued' | 'uploaded' | 'wrong_password' | 'limit_spent'

/** What an access is of. */
interface Accessed {
  /** Null: everything, as an archive, or nothing. */
  key: string | null
  /** Of an upload. */
  sender?: Sender | undefined
}

export function accessRow(ctx: Ctx, row: store.ShareRow, outcome: Outcome, { key, sender }: Accessed) {
  const { ip, user_agent } = ctx.actor.origin
  const agent = user_agent === null ? null : withoutCredentials(user_agent).slice(0, 512)
  return {
    id: newId(),
    share_id: row.id,
    time: ctx.now().toISOString(),
    outcome,
    object_key: key,
    ip,
    user_agent: agent,
    sender_name: sender?.name ?? null,
    sender_message: sender?.message ?? null,
  }
}
export const useRow = (ctx: Ctx, row: store.ShareRow) => ({
  share_id: row.id,
  shard: Math.floor(Math.random() * USAGE_SHARDS),
  count: 1,
  last_at: ctx.now().toISOString(),
})

/** Stores an access after the response; counts are spread over several rows. */
export function noteAccess(ctx: Ctx, row: store.ShareRow, outcome: Outcome, accessed: Accessed): void {
  const counted = outcome === 'served' || outcome === 'uploaded'
  ctx.background(
    ctx.upkeep(
      async ({ tx }) => {
        await accessStore.insertAccess(tx, accessRow(ctx, row, outcome, accessed))
        if (counted) await accessStore.addUse(tx, useRow(ctx, row))
      },
      { relaxed: true },
    ),
  )
}
