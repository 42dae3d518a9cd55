import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../contract/errors.ts'
import { afterPrefix, allowedRanges, compareKeys, type KeyRange } from '../../contract/permissions.ts'
import { actorOfUser, beginAttempt, forgiveAttempt, retractAttempt, verifyPassword } from '../auth/service.ts'
import type { Actor, Ctx } from '../context.ts'
import { newId } from '../id.ts'
import { withoutCredentials } from '../log.ts'
import { settingsInForce } from '../settings/service.ts'
import { hashSecret } from '../signature.ts'
import * as store from './store.ts'
import { isTicket } from './ticket.ts'

const USAGE_SHARDS = 16
const VERIFIED_MS = 5 * 60_000

/** Expired, revoked, spent and unknown: nobody learns which (410). */
export const gone = () =>
  new ServiceError('gone', 'This link is not valid: it has expired, was revoked or used up, or never was.')

/** A link that is good now. */
export interface OpenLink {
  row: store.ShareRow
  /** Whose rights it has; null where the settings let links outlive their makers' rights. */
  creator: Actor | null
}

/** Finds the link of a token and makes sure that it is good, whatever its password. Throws gone. */
export async function findLink(ctx: Ctx, token: string): Promise<OpenLink> {
  const row = await store.findByHash(ctx.db, hashSecret(token))
  if (!row) throw gone()
  return openLink(ctx, row)
}

/** The same of the link's row; in a transaction with its `tx` as `db`. */
export async function openLink(ctx: Pick<Ctx, 'db' | 'config' | 'now' | 'actor'>, row: store.ShareRow) {
  if (row.revoked_at !== null) throw gone()
  if (row.expires_at !== null && Date.parse(row.expires_at) <= ctx.now().getTime()) throw gone()
  const { shares } = await settingsInForce(ctx)
  if (!shares.require_creator_access) return { row, creator: null }
  const creator = await actorOfUser(ctx, row.created_by, null)
  if (!creator) throw gone()
  return { row, creator }
}

/** The parts of the link's bucket that it still opens: where its maker has the right, and may share; none: it is dead. */
export function openRanges({ row, creator }: OpenLink, action: 'read' | 'write', prefix: string): KeyRange[] {
  if (!creator) return [{ from: prefix, to: afterPrefix(prefix) }]
  const [first, second] = [action, 'share' as const].map((one) =>
    allowedRanges(creator.groups, one, row.bucket, prefix),
  ) as [KeyRange[], KeyRange[]]
  return first.flatMap((one) => second.flatMap((other) => common(one, other)))
}

/** What two ranges have in common: no range or one. */
function common(a: KeyRange, b: KeyRange): KeyRange[] {
  const from = compareKeys(a.from, b.from) > 0 ? a.from : b.from
  const to = a.to === null || (b.to !== null && compareKeys(b.to, a.to) < 0) ? b.to : a.to
  return to === null || compareKeys(from, to) < 0 ? [{ from, to }] : []
}
export const isOpen = (ranges: readonly KeyRange[], key: string): boolean =>
  ranges.some(({ from, to }) => compareKeys(key, from) >= 0 && (to === null || compareKeys(key, to) < 0))

/** Which passwords were found right lately: a video is fetched in a hundred ranges, and each compare costs 200 ms. */
const verified = new Map<string, number>()

/** Throws `unauthenticated` unless the request has the link's password, or a ticket that was given for it. */
export async function checkPassword(ctx: Ctx, link: OpenLink, request: FastifyRequest): Promise<void> {
  if (link.row.password_hash === null || isTicket(ctx, link.row, request)) return
  const given = passwordOf(request)
  if (given === undefined) throw passwordNeeded('This link asks for a password.')
  await matchPassword(ctx, link, given)
}

/** Throws `unauthenticated` unless this is the link's password; guesses are slowed down like logins. */
export async function matchPassword(ctx: Ctx, { row }: OpenLink, given: string): Promise<void> {
  if (row.password_hash === null) return
  const key = createHash('sha256').update(`${row.id}\0${row.password_hash}\0${given}`).digest('base64')
  const now = ctx.now().getTime()
  if ((verified.get(key) ?? 0) > now) return
  const attempt = { kind: 'link', account: `share:${row.id}` } as const
  await beginAttempt(ctx, attempt)
  const matches = await verifyPassword(given, row.password_hash, ctx.config.bcryptCost).catch(async (busy: unknown) => {
    await retractAttempt(ctx, attempt)
    throw busy
  })
  if (!matches) {
    noteAccess(ctx, row, 'wrong_password', null)
    throw passwordNeeded('The password is wrong.')
  }
  await forgiveAttempt(ctx, attempt)
  if (verified.size >= 1000) verified.clear()
  verified.set(key, now + VERIFIED_MS)
}

export const passwordNeeded = (detail: string) =>
  new ServiceError('unauthenticated', detail, {
    headers: { 'www-authenticate': 'Basic realm="link", charset="UTF-8"' },
  })

/** From `X-Share-Password`, or from HTTP Basic with any name (RFC 7617). */
function passwordOf({ headers }: FastifyRequest): string | undefined {
  const own = headers['x-share-password']
  // Node gives header values as Latin-1; clients send UTF-8.
  if (typeof own === 'string') return Buffer.from(own, 'latin1').toString('utf8')
  const basic = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '')?.[1]
  return basic === undefined
    ? undefined
    : Buffer.from(basic, 'base64')
        .toString('utf8')
        .replace(/^[^:]*:/s, '')
}

type Outcome = 'served' | 'continued' | 'uploaded' | 'wrong_password' | 'limit_spent'

export function accessRow(ctx: Ctx, row: store.ShareRow, outcome: Outcome, object_key: string | null) {
  const { ip, user_agent } = ctx.actor.origin
  const agent = user_agent === null ? null : withoutCredentials(user_agent).slice(0, 512)
  return { id: newId(), share_id: row.id, time: ctx.now().toISOString(), outcome, object_key, ip, user_agent: agent }
}
export const useRow = (ctx: Ctx, row: store.ShareRow) => ({
  share_id: row.id,
  shard: Math.floor(Math.random() * USAGE_SHARDS),
  count: 1,
  last_at: ctx.now().toISOString(),
})

/** Writes an access down after the answer; what is counted is counted over several rows. */
export function noteAccess(ctx: Ctx, row: store.ShareRow, outcome: Outcome, key: string | null): void {
  const counted = outcome === 'served' || outcome === 'uploaded'
  ctx.background(
    ctx.upkeep(
      async (tx) => {
        await store.insertAccess(tx, accessRow(ctx, row, outcome, key))
        if (counted) await store.addUse(tx, useRow(ctx, row))
      },
      { relaxed: true },
    ),
  )
}

/** What every answer of a link carries: a copy in a cache would outlive a revocation. */
export const NO_STORE = 'no-store'
export const forbidCaching = (reply: FastifyReply): FastifyReply => reply.header('cache-control', NO_STORE)
