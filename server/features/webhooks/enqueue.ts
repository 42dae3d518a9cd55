import { type Action, type ActionName, auditOnly } from '../../../contract/actions.ts'
import { newId } from '../../base/id.ts'
import type { Row, Tx } from '../../db/schema.ts'
import { findEnabledEndpoints, insertDeliveries } from './store.ts'

/** An enabled endpoint. */
export interface Subscriber {
  id: string
  wants: readonly string[]
  bucket: string | null
  prefix: string | null
}

const isEvent = (action: string, result: string) => result === 'success' && !auditOnly.has(action as ActionName)

/** Step: the enabled endpoints, if any of these actions is an event. */
export async function findSubscribers(tx: Tx, actions: readonly Action[]): Promise<Subscriber[]> {
  if (!actions.some(({ name, result = 'success' }) => isEvent(name, result))) return []
  return (await findEnabledEndpoints(tx)).map(({ events, ...endpoint }) => ({
    ...endpoint,
    wants: JSON.parse(events) as string[],
  }))
}

/**
 * Step: queues a delivery per successful event and endpoint subscribed to it, in the event's own transaction; a ping only
 * for the endpoint under test. Returns how many.
 */
export async function enqueueDeliveries(
  tx: Tx,
  subscribers: readonly Subscriber[],
  records: readonly Row<'audit'>[],
): Promise<number> {
  const events = records.filter(({ action, result }) => isEvent(action, result))
  const rows = events.flatMap((record) => {
    if (record.action === 'ping') return [ping(record)]
    const subscribed = subscribers.filter((endpoint) => isFor(endpoint, record))
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
