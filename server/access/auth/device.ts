import { createHash } from 'node:crypto'
import { newId } from '../../base/id.ts'
import type { Ctx } from '../../context.ts'
import { readClaims, signClaims } from '../../secrets/sign.ts'
import { emailKey } from '../users/service.ts'

const PURPOSE = 'device'
/** How long a browser is recognised after a login. */
export const DEVICE_SECONDS = 180 * 24 * 3600

interface Claims {
  /** Hash of the account that logged in. */
  for: string
  id: string
  /** Milliseconds since the epoch. */
  until: number
}
const hashed = (account: string): string => createHash('sha256').update(account).digest('base64url')

/** What a browser stores to be recognised at its next login; it grants no access. */
export function deviceTicket(ctx: Ctx, username: string): string {
  const until = ctx.now().getTime() + DEVICE_SECONDS * 1000
  return signClaims(ctx.config, PURPOSE, { for: hashed(emailKey(username)), id: newId(), until } satisfies Claims)
}

/** The id of a device that logged in to this account before; null for any other. */
export function knownDevice(ctx: Ctx, account: string, ticket: string | undefined): string | null {
  const claims = ticket === undefined ? null : readClaims<Claims>(ctx.config, PURPOSE, ticket)
  return claims && claims.for === hashed(account) && claims.until > ctx.now().getTime() ? claims.id : null
}
