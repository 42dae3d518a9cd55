import { type ActionName, auditOnly } from '../../../contract/actions.ts'
import { newId } from '../../base/id.ts'
import type { Row, Tx } from '../../db/schema.ts'
import { findEnabledEndpoints, insertDeliveries } from './store.ts'

interface Subscriber {
  id: string
  wants: readonly string[]
  bucket: string | null
  prefix: string | null
}

/**
 * Step: queues a delivery per successful event and enabled endpoint subscribed to it, in the event's own transaction; a
 * ping only for the endpoint under test. Returns how many.
 */
export async function enqueueDeliveries(tx: Tx, records: readonly Row<'audit'>[]): Promise<number> {
  const events = records.filter((one) => one.result === 'success' && !auditOnly.has(one.action as ActionName))
  if (events.length === 0) return 0
  const endpoints = (await findEnabledEndpoints(tx)).map(
    ({ events: wants, ...endpoint }): Subscriber => ({ ...endpoint, wants: JSON.parse(wants) as string[] }),
  )
  const rows = events.flatMap((record) => {
    if (record.action === 'ping') return [ping(record)]
    const subscribed = endpoints.filter((endpoint) => isFor(endpoint, record))
    if (subscribed.length === 0) return []
    const body = eventBody(record)
    return subscribed.map((endpoint) => delivery(record, endpoint.id, body))
  })
  await insertDeliveries(tx, rows)
  return rows.length
}

const delivery = (record: Row<'audit'>, webhook_id: string, body: string, id = newId()) => ({
  id,
  webhook_id,
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
})

/** The delivery's id was returned to whoever requested the ping before it is queued. */
function ping(record: Row<'audit'>) {
  const { webhook_id, delivery_id } = JSON.parse(record.details) as { webhook_id: string; delivery_id: string }
  return delivery(record, webhook_id, eventBody(record), delivery_id)
}

function isFor({ wants, bucket, prefix }: Subscriber, record: Row<'audit'>): boolean {
  if (!wants.includes('*') && !wants.includes(record.action)) return false
  if (bucket === null) return true
  const places = [{ bucket: record.bucket, key: record.object_key }]
  // An endpoint watching the source of a move must learn that the object left.
  if (record.action === 'move')
    places.push(
      (JSON.parse(record.details) as { source?: (typeof places)[number] }).source ?? { bucket: null, key: null },
    )
  return places.some((one) => one.bucket === bucket && (one.key ?? '').startsWith(prefix ?? ''))
}

/**
 * The text that is signed and sent, built once so that every attempt has the same body. Short, like a record's details.
 */
function eventBody(record: Row<'audit'>): string {
  return JSON.stringify({
    event: record.action,
    timestamp: record.time.replace('Z', '+00:00'),
    actor: { user_id: record.actor_user_id, email: record.actor_email },
    bucket: record.bucket,
    object_key: record.object_key,
    details: JSON.parse(record.details) as object,
  })
}
