import type { Ctx } from '../context.ts'
import type { Verdict } from './settle.ts'
import { lockEndpoint, updateEndpoint } from './store.ts'

class AlreadyDisabled extends Error {}

/** Disables an endpoint that is gone or failed for too long, visibly (W25). Nothing happens when it is disabled. */
export async function disableEndpoint(ctx: Ctx, { endpointId, reason }: Verdict): Promise<void> {
  try {
    await ctx.act(async (tx, record) => {
      const row = await lockEndpoint(tx, endpointId)
      if (!row || row.disabled_at !== null) throw new AlreadyDisabled()
      await updateEndpoint(tx, endpointId, { disabled_at: ctx.now().toISOString(), disabled_reason: reason })
      record({
        name: 'webhook_disabled',
        resource: { type: 'webhook', id: endpointId },
        details: { webhook_id: endpointId, name: row.name, reason },
      })
    })
    ctx.log.warn({ endpoint: endpointId, reason }, 'a webhook endpoint was disabled')
  } catch (error) {
    if (!(error instanceof AlreadyDisabled)) throw error
  }
}
