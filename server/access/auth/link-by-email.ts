import type { Ctx } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import type { EffectiveSettings } from '../settings/effective.ts'
import { isLinkable } from '../users/identity.ts'
import { emailKey } from '../users/service.ts'
import { findByEmailKey } from '../users/store.ts'
import type { Identity } from './oidc.ts'

/**
 * The account that a login of an unknown identity is linked to: the one of its address, where the settings say so, the
 * provider has confirmed the address, and the account can log in and is linked to no other identity.
 */
export async function findLinkable(
  ctx: Ctx,
  { idp }: EffectiveSettings,
  { confirmedEmail }: Identity,
): Promise<Row<'users'> | undefined> {
  if (!idp.link_verified_email || confirmedEmail === null) return undefined
  const user = await findByEmailKey(ctx.db, emailKey(confirmedEmail))
  return user && isLinkable(user) ? user : undefined
}
