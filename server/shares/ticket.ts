import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { readClaims, signClaims } from '../signature.ts'
import { findLink, forbidCaching, matchPassword } from './open.ts'
import type { ShareRow } from './store.ts'

const PURPOSE = 'share-ticket'
const SECONDS = 3600

interface Claims {
  /** The link and the password it has: with another one the ticket ends. */
  for: string
  /** Milliseconds since the epoch. */
  until: number
}
const lockOf = ({ id, password_hash }: ShareRow): string =>
  createHash('sha256').update(`${id}\0${password_hash}`).digest('base64url')

/** Whether a request has a ticket in its query that was given for this link's password and is good still. */
export function isTicket(ctx: Ctx, row: ShareRow, { query }: Pick<FastifyRequest, 'query'>): boolean {
  const { ticket } = query as { ticket?: string }
  if (ticket === undefined) return false
  const claims = readClaims<Claims>(ctx.config, PURPOSE, ticket)
  return claims !== null && claims.for === lockOf(row) && claims.until > ctx.now().getTime()
}

/** Exchanges the password of a link for a ticket: a browser can put one into a URL, but not a header. */
export async function unlockShare(
  ctx: Ctx,
  token: string,
  password: string,
  raw: { reply: Parameters<typeof forbidCaching>[0] },
) {
  forbidCaching(raw.reply)
  const link = await findLink(ctx, token)
  await matchPassword(ctx, link, password)
  const until = ctx.now().getTime() + SECONDS * 1000
  return { ticket: signClaims(ctx.config, PURPOSE, { for: lockOf(link.row), until }), expires_in: SECONDS }
}
