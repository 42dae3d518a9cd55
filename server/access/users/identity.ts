import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import type { Ctx, Step } from '../../context.ts'
import { type EffectiveSettings, issuerKey } from '../settings/effective.ts'
import * as store from './store.ts'

/** Throws forbidden unless the actor may link an account to an identity. */
export function assertMayLink({ actor }: Pick<Ctx, 'actor'>): void {
  if (!isAdmin(actor.groups))
    throw new ServiceError('forbidden', 'You need the "admin" permission to link an account to an identity.')
}

/** Step: the columns of a user's identity at the provider; null for none. Throws conflict or already_exists. */
export async function identityOf(
  { tx }: Step,
  idp_subject: string | null,
  { idp }: EffectiveSettings,
  userId?: string,
) {
  if (idp_subject === null) return { idp_subject, idp_issuer: null }
  if (idp.issuer_url === null)
    throw new ServiceError('conflict', 'No identity provider is configured to link the account to.')
  const idp_issuer = issuerKey(idp.issuer_url)
  const other = await store.findByIdentity(tx, idp_issuer, idp_subject)
  if (other && other.id !== userId)
    throw new ServiceError('already_exists', 'Another account is linked to this identity.')
  return { idp_subject, idp_issuer }
}
