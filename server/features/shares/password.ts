import { createHash } from 'node:crypto'
import { ServiceError } from '../../../contract/errors.ts'
import { beginAttempt, forgiveAttempt, retractAttempt } from '../../access/throttle/throttle.ts'
import { perSystem } from '../../base/per-system.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { verifyPassword } from '../../secrets/passwords.ts'
import { findLink, noteAccess, type OpenLink } from './open.ts'
import { isTicket, makeTicket } from './ticket.ts'

const VERIFIED_MS = 5 * MINUTE_MS

/** Recently verified passwords: a video is fetched in a hundred ranges, and each comparison costs 200 ms. */
const verifiedOf = perSystem(() => new Map<string, number>())

/** What a visitor presents to a link with a password. */
export interface Presented {
  password?: string | undefined
  ticket?: string | undefined
  /** Whether nobody has followed the link yet: nothing is noted of it. */
  early?: boolean
}

/** Throws `unauthenticated` unless the visitor has the link's password, or a ticket issued for it. */
export async function checkPassword(ctx: Ctx, link: OpenLink, { password, ticket }: Presented): Promise<void> {
  if (link.row.password_hash === null || isTicket(ctx, link.row, ticket)) return
  if (password === undefined) throw passwordNeeded('This link requires a password.')
  await matchPassword(ctx, link, password)
}

/** Throws `unauthenticated` unless this is the link's password. Guesses are slowed down like logins. */
async function matchPassword(ctx: Ctx, { row }: OpenLink, given: string): Promise<void> {
  if (row.password_hash === null) return
  const key = createHash('sha256').update(`${row.id}\0${row.password_hash}\0${given}`).digest('base64')
  const now = ctx.now().getTime()
  const verified = verifiedOf(ctx.config)
  if ((verified.get(key) ?? 0) > now) return
  const attempt = { kind: 'link', account: `share:${row.id}` } as const
  await beginAttempt(ctx, attempt)
  const matches = await verifyPassword(given, row.password_hash, ctx.config.bcryptCost).catch(async (busy: unknown) => {
    await retractAttempt(ctx, attempt)
    throw busy
  })
  if (!matches) {
    noteAccess(ctx, row, 'wrong_password', { key: null })
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

/** Exchanges a link's password for a ticket, because a browser can put a ticket into a URL but cannot send a header. */
export async function unlockShare(ctx: Ctx, token: string, password: string) {
  const link = await findLink(ctx, token)
  await matchPassword(ctx, link, password)
  return makeTicket(ctx, link.row)
}
