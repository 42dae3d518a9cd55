import { createHash } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { readClaims, signClaims } from '../../secrets/sign.ts'
import type { ShareRow } from './store.ts'

const PURPOSE = 'share-ticket'
const SECONDS = 3600

interface Claims {
  /** Identifies the link and its password: changing the password invalidates the ticket. */
  for: string
  /** Milliseconds since the epoch. */
  until: number
}
/** What a link and its current password are: another one once the password was changed. */
export const lockOf = ({ id, password_hash }: ShareRow): string =>
  createHash('sha256').update(`${id}\0${password_hash}`).digest('base64url')

/** Whether this is a ticket issued for this link's current password that has not expired. */
export function isTicket(ctx: Ctx, row: ShareRow, ticket: string | undefined): boolean {
  if (ticket === undefined) return false
  const claims = readClaims<Claims>(ctx.config, PURPOSE, ticket)
  return claims !== null && claims.for === lockOf(row) && claims.until > ctx.now().getTime()
}

/** Issues a ticket for a link whose password was correct. */
export function makeTicket({ config, now }: Ctx, row: ShareRow): { ticket: string; expires_in: number } {
  const claims: Claims = { for: lockOf(row), until: now().getTime() + SECONDS * 1000 }
  return { ticket: signClaims(config, PURPOSE, claims), expires_in: SECONDS }
}
