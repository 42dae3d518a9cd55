import { createHash } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { readClaims, signClaims } from '../../secrets/sign.ts'
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

/** Whether this is a ticket that was given for this link's password and is still good. */
export function isTicket(ctx: Ctx, row: ShareRow, ticket: string | undefined): boolean {
  if (ticket === undefined) return false
  const claims = readClaims<Claims>(ctx.config, PURPOSE, ticket)
  return claims !== null && claims.for === lockOf(row) && claims.until > ctx.now().getTime()
}

/** A ticket for a link whose password was right. */
export function makeTicket({ config, now }: Ctx, row: ShareRow): { ticket: string; expires_in: number } {
  const claims: Claims = { for: lockOf(row), until: now().getTime() + SECONDS * 1000 }
  return { ticket: signClaims(config, PURPOSE, claims), expires_in: SECONDS }
}
