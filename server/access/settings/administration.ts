import { ServiceError } from '../../../contract/errors.ts'
import type { Tx } from '../../db/schema.ts'
import { type Changed, type EffectiveSettings, issuerKey } from './effective.ts'
import * as store from './store.ts'

/**
 * Step: serialises changes to who can administer the service, so that two administrators cannot remove each other's
 * permissions at once. Taken before any other lock.
 */
export const lockAdministration = store.lockOverrides

/** Step: the stored settings, which stay as they are until the transaction ends. Taken before any other lock. */
export const holdSettings = store.holdOverrides

/** Step: throws last_admin unless an active administrator can log in through an enabled method. */
export async function assertAdminRemains(tx: Tx, { auth, idp }: EffectiveSettings): Promise<void> {
  const issuer = auth.enable_idp && idp.client_id !== null && idp.issuer_url !== null ? issuerKey(idp.issuer_url) : null
  if (await store.hasAbleAdmin(tx, { local: auth.enable_local, issuer })) return
  throw new ServiceError('last_admin', 'No active administrator could log in any more.')
}

/** Step: removes a deleted group from the identity provider's group mapping. */
export async function unmapGroup(tx: Tx, groupId: string): Promise<void> {
  const changed = JSON.parse(await lockAdministration(tx)) as Changed
  const mapping = changed.idp?.group_mapping as { group_id: string }[] | undefined
  if (!changed.idp || !mapping?.some(({ group_id }) => group_id === groupId)) return
  changed.idp.group_mapping = mapping.filter(({ group_id }) => group_id !== groupId)
  await store.writeOverrides(tx, JSON.stringify(changed))
}
