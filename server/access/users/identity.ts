import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import type { Ctx, Step } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { revokeSessionsOf } from '../sessions/service.ts'
import { lockAdministration } from '../settings/administration.ts'
import { type EffectiveSettings, issuerKey } from '../settings/effective.ts'
import { tellOfSignIn } from './sign-in-notices.ts'
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

/** Whether a login can be added to an account: it is a person's, active, and linked to no identity. */
export const isLinkable = ({ disabled_at, idp_subject, service_account }: Row<'users'>): boolean =>
  disabled_at === null && idp_subject === null && service_account === 0

/**
 * Step: links the account of whoever logs in to their identity, which ends its sessions. Returns false if the account has
 * changed since `row` was read, or the identity is another account's by now.
 */
export async function linkIdentity(
  step: Step,
  row: Row<'users'>,
  identity: { idp_issuer: string; idp_subject: string },
): Promise<boolean> {
  const { tx, now, record } = step
  await lockAdministration(tx)
  const current = await store.lockUser(tx, row.id)
  const isSame = current?.token_version === row.token_version && current.email_key === row.email_key
  if (!isSame || !isLinkable(current)) return false
  if (await store.findByIdentity(tx, identity.idp_issuer, identity.idp_subject)) return false
  await revokeSessionsOf(tx, row.id, now())
  await store.updateUser(tx, row.id, { ...identity, token_version: row.token_version + 1 })
  const { idp_subject } = identity
  record({
    name: 'user_update',
    resource: { type: 'user', id: row.id },
    details: { email: row.email, before: { idp_subject: row.idp_subject }, after: { idp_subject } },
  })
  await tellOfSignIn(step, current, current, { changes: [{ change: 'identity_linked' }], by: 'identity_provider' })
  return true
}
