import type { Publish } from '../context.ts'
import { recordActions } from '../features/audit/service.ts'
import { enqueueDeliveries } from '../features/webhooks/enqueue.ts'
import { wakeDispatcher } from '../features/webhooks/queue-signal.ts'
import { detached } from '../observe/meter.ts'
import { telemetryOf } from '../observe/telemetry.ts'

/** Writes a change's audit records and one delivery per matching webhook; counts and sends them once it is committed. */
export const publish: Publish = async ({ tx, actor, config, now }, actions) => {
  const records = await recordActions(tx, config, { actor, time: now() }, actions)
  const queued = config.webhooksEnabled ? await enqueueDeliveries(tx, records) : 0
  return () => {
    const counted = telemetryOf(config).metrics.strongroom_actions_total
    for (const { name } of actions) counted.inc({ action: name })
    // What it sends counts for no request: it sends for everyone.
    if (queued > 0) detached(() => wakeDispatcher(config))
  }
}
