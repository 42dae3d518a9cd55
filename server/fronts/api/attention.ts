import type { Attention } from '../../../contract/attention.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import { describeLogins } from '../../access/auth/idp-login.ts'
import { hasMade, listExpiring } from '../../access/credentials/manage.ts'
import { hasSeveralUsers } from '../../access/users/store.ts'
import type { Ctx } from '../../context.ts'
import { listDisks } from '../../features/system/disks.ts'
import { listTroubled } from '../../features/webhooks/status.ts'
import { listHeld } from '../../storage/attached/scans/service.ts'
import { listUnreachable } from '../../storage/storages/health.ts'

const MOST = 100
const MOST_SCANS = 20

/**
 * What the caller should look at: of their own credentials and of attached buckets that they manage, and for administrators
 * of the service, with which first steps are done. Each part shows what the list of its kind would show to them.
 */
export async function describeAttention(ctx: Ctx): Promise<Attention> {
  const [tokens, keys, held] = await Promise.all([
    listExpiring(ctx, 'tokens', MOST),
    listExpiring(ctx, 'access_keys', MOST),
    listHeld(ctx, MOST_SCANS),
  ])
  return {
    tokens: tokens.map(describeExpiring),
    access_keys: keys.filter(({ deactivated_at }) => deactivated_at === null).map(describeExpiring),
    held_scans: held.map(({ id, name, held_reason }) => ({ id, bucket: name, held_reason })),
    administration: isAdmin(ctx.actor.groups) ? await describeAdministration(ctx) : null,
  }
}

const describeExpiring = ({ id, name, expires_at }: { id: string; name: string; expires_at: string | null }) => ({
  id,
  name,
  expires_at: expires_at ?? '',
})

async function describeAdministration(ctx: Ctx): Promise<NonNullable<Attention['administration']>> {
  const [disks, storages, webhooks, users, logins, access_key] = await Promise.all([
    listDisks(ctx),
    listUnreachable(ctx),
    listTroubled(ctx, MOST),
    hasSeveralUsers(ctx.db),
    describeLogins(ctx),
    hasMade(ctx, 'access_keys'),
  ])
  return {
    disks: disks.items.filter(({ state }) => state !== 'room'),
    storages: storages.slice(0, MOST),
    webhooks: webhooks.items,
    first_steps: { users, sso: logins.idp, access_key, webhook: webhooks.any },
  }
}
