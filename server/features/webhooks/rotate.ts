// The secret that signs an endpoint's deliveries: replaced on request, with a period in which both sign.
import { ServiceError } from '../../../contract/errors.ts'
import type { NewWebhook, Webhook } from '../../../contract/webhooks.ts'
import type { Ctx } from '../../context.ts'
import { newSecret, reseal, sealSecret } from './secret.ts'
import { describe, isRotating, lock } from './service.ts'
import * as store from './store.ts'

/** Creates a new secret, returned only here. The old one still signs `X-Strongroom-Signature` until the grace period ends. */
export async function rotateSecret(ctx: Ctx, id: string, graceSeconds: number): Promise<NewWebhook> {
  const secret = newSecret()
  const sealed = sealSecret(ctx.config, secret)
  const row = await ctx.act(async ({ tx, record }) => {
    const row = await lock(tx, id)
    if (isRotating(ctx, row)) throw new ServiceError('conflict', 'A new secret is already pending. Promote it first.')
    const current = row.next_secret ?? row.secret
    const promotesAt = new Date(ctx.now().getTime() + graceSeconds * 1000).toISOString()
    const next = await store.updateEndpoint(
      tx,
      id,
      graceSeconds === 0
        ? { secret: sealed, next_secret: null, promotes_at: null }
        : { secret: current, next_secret: sealed, promotes_at: promotesAt },
    )
    record({
      name: 'webhook_rotate',
      resource: { type: 'webhook', id },
      details: { webhook_id: id, name: row.name, grace_seconds: graceSeconds },
    })
    return next
  })
  return { ...describe(ctx, row), secret }
}

/** Ends a rotation's grace period. Throws conflict if there is none. */
export const promoteSecret = (ctx: Ctx, id: string): Promise<Webhook> =>
  ctx.act(async ({ tx, record }) => {
    const row = await lock(tx, id)
    if (!isRotating(ctx, row) || row.next_secret === null)
      throw new ServiceError('conflict', 'No new secret is pending.')
    const next = await store.updateEndpoint(tx, id, { secret: row.next_secret, next_secret: null, promotes_at: null })
    record({
      name: 'webhook_promote',
      resource: { type: 'webhook', id },
      details: { webhook_id: id, name: row.name },
    })
    return describe(ctx, next)
  })

/** Re-encrypts secrets that still use a previous SECRET_KEY, so that it can be retired. Returns how many. */
export const resealWebhooks = (ctx: Ctx): Promise<number> =>
  ctx.upkeep(async ({ tx }) => {
    let count = 0
    for (const row of await store.lockAllEndpoints(tx)) {
      const secret = reseal(ctx.config, row.secret)
      const next_secret = row.next_secret === null ? null : reseal(ctx.config, row.next_secret)
      count += Number(secret !== row.secret) + Number(next_secret !== row.next_secret)
      if (secret !== row.secret || next_secret !== row.next_secret)
        await store.updateEndpoint(tx, row.id, { secret, next_secret })
    }
    return count
  })
