import { type Action, type ActionName, auditOnly } from '../../../contract/actions.ts'
import { newId } from '../../base/id.ts'
import type { Upkeep } from '../../context.ts'
import type { NewRow, Row, Tx } from '../../db/schema.ts'
import { s3EventBody, s3TestBody } from './s3-events.ts'
import { findEnabledEndpoints, findEndpoint, findOwners, insertDeliveries } from './store.ts'

/** An enabled endpoint. */
export interface Subscriber {
  id: string
  wants: readonly string[]
  bucket: string | null
  prefix: string | null
  format: Row<'webhooks'>['format']
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
  { tx, config }: Pick<Upkeep, 'tx' | 'config'>,
  subscribers: readonly Subscriber[],
  records: readonly Row<'audit'>[],
): Promise<number> {
  const events = records.filter(({ action, result }) => isEvent(action, result))
  const needsOwners = subscribers.some(({ format }) => format === 's3')
  const owners = needsOwners ? await findOwners(tx, bucketsIn(events)) : new Map<string, string | null>()
  const rows: NewRow<'webhook_deliveries'>[] = []
  for (const record of events) {
    if (record.action === 'ping') {
      rows.push(await ping(tx, record))
      continue
    }
    const subscribed = subscribers.filter((endpoint) => isFor(endpoint, record))
    const own = subscribed.some(({ format }) => format !== 's3') ? eventBody(record) : undefined
    for (const endpoint of subscribed) {
      const { id, format } = endpoint
      const s3 = { id, region: config.s3.region, owners, isFor: (place: Place) => isAt(endpoint, place) }
      const body = format === 's3' ? s3EventBody(record, s3) : own
      if (body !== undefined) rows.push(delivery(record, id, body))
    }
  }
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
async function ping(tx: Tx, record: Row<'audit'>) {
  const { webhook_id, delivery_id } = JSON.parse(record.details) as { webhook_id: string; delivery_id: string }
  const endpoint = await findEndpoint(tx, webhook_id)
  const body = endpoint?.format === 's3' ? s3TestBody(record, endpoint.bucket) : eventBody(record)
  return delivery(record, webhook_id, body, delivery_id)
}

interface Place {
  bucket: string | null
  key: string | null
}

/** The buckets that records name. */
const bucketsIn = (records: readonly Row<'audit'>[]): string[] => [
  ...new Set(records.flatMap(placesOf).flatMap(({ bucket }) => bucket ?? [])),
]

/** Where something happened: of a move, at both ends. */
function placesOf(record: Row<'audit'>): Place[] {
  const place = { bucket: record.bucket, key: record.object_key }
  if (record.action !== 'move') return [place]
  const { source } = JSON.parse(record.details) as { source?: Place }
  return source ? [place, source] : [place]
}

const isAt = ({ bucket: wanted, prefix }: Subscriber, { bucket, key }: Place): boolean =>
  wanted === null || (bucket === wanted && (key ?? '').startsWith(prefix ?? ''))

/** An endpoint watching the source of a move must learn that the object left. */
const isFor = (endpoint: Subscriber, record: Row<'audit'>): boolean =>
  (endpoint.wants.includes('*') || endpoint.wants.includes(record.action)) &&
  placesOf(record).some((place) => isAt(endpoint, place))

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
