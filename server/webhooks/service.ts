import { type ActionName, auditOnly } from '../../contract/actions.ts'
import type { Row, Tx } from '../db/schema.ts'
import { newId } from '../id.ts'
import { findEnabledEndpoints, insertDeliveries } from './store.ts'

const MAX_BODY_BYTES = 65_536

/** Queues a delivery for each successful event and each enabled endpoint that subscribes to it (W1, W2, W7). */
export async function enqueueDeliveries(tx: Tx, records: readonly Row<'audit'>[]): Promise<void> {
  const events = records.filter((one) => one.result === 'success' && !auditOnly.has(one.action as ActionName))
  if (events.length === 0) return
  const endpoints = (await findEnabledEndpoints(tx)).map(({ id, events }) => ({
    id,
    wants: JSON.parse(events) as string[],
  }))
  await insertDeliveries(
    tx,
    events.flatMap((record) => {
      const subscribed = endpoints.filter(({ wants }) => wants.includes('*') || wants.includes(record.action))
      if (subscribed.length === 0) return []
      const body = eventBody(record)
      return subscribed.map((endpoint) => ({
        id: newId(),
        endpoint_id: endpoint.id,
        audit_id: record.id,
        event: record.action,
        body,
        status: 'queued' as const,
        attempts: 0,
        last_status_code: null,
        last_error: null,
        created_at: record.time,
        next_attempt_at: record.time,
        acknowledged_at: null,
      }))
    }),
  )
}

/** The text that is signed and sent, made once (W3, W4, W5). */
function eventBody(record: Row<'audit'>): string {
  const body = {
    event: record.action,
    timestamp: record.time.replace('Z', '+00:00'),
    actor: { user_id: record.actor_user_id, email: record.actor_email },
    bucket: record.bucket,
    object_key: record.object_key,
    details: JSON.parse(record.details) as object,
  }
  const text = JSON.stringify(body)
  return Buffer.byteLength(text) <= MAX_BODY_BYTES ? text : JSON.stringify({ ...body, details: { truncated: true } })
}
