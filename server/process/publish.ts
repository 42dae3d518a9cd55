import type { Publish } from '../context.ts'
import { recordActions } from '../features/audit/service.ts'
import { enqueueDeliveries, findSubscribers } from '../features/webhooks/enqueue.ts'
import { wakeDispatcher } from '../features/webhooks/queue-signal.ts'
import { detached } from '../observe/meter.ts'
import { telemetryOf } from '../observe/telemetry.ts'

/** Writes a change's audit records and one delivery per matching webhook; after the commit, counts and sends them. */
export const publish: Publish = async (step, actions) => {
  const { tx, actor, config, now } = step
  const [records, subscribers] = await Promise.all([
    recordActions(tx, config, { actor, time: now() }, actions),
    config.webhooksEnabled ? findSubscribers(tx, actions) : [],
  ])
  const queued = await enqueueDeliveries(step, subscribers, records)
  return () => {
    const counted = telemetryOf(config).metrics.strongroom_actions_total
    for (const { name } of actions) counted.inc({ action: name })
    // The dispatcher sends for everyone, so its work is not counted as part of this request.
    if (queued > 0) detached(() => wakeDispatcher(config))
  }
}
