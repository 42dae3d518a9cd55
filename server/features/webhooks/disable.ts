import type { Ctx } from '../../context.ts'
import type { Verdict } from './outcomes.ts'
import { lockEndpoint, updateEndpoint } from './store.ts'

/**
 * Disables an endpoint that is gone or has failed for too long, and records it. Does nothing if it is already disabled.
 */
export async function disableEndpoint(ctx: Ctx, { endpointId, reason }: Verdict): Promise<void> {
  const disabled = await ctx.act(async ({ tx, record, nothing }) => {
    const row = await lockEndpoint(tx, endpointId)
    if (!row || row.disabled_at !== null) return nothing(false)
    await updateEndpoint(tx, endpointId, { disabled_at: ctx.now().toISOString(), disabled_reason: reason })
    record({
      name: 'webhook_disabled',
      resource: { type: 'webhook', id: endpointId },
      details: { webhook_id: endpointId, name: row.name, reason },
    })
    return true
  })
  if (disabled) ctx.log.warn({ endpoint: endpointId, reason }, 'a webhook endpoint was disabled')
}
