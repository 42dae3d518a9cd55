import { sql } from 'kysely'
import { kept } from '../../db/kept.ts'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'

export type EndpointRow = Row<'webhooks'>
export type DeliveryRow = Row<'webhook_deliveries'>

const enabled = prepared((db: Db, _none: object) =>
  db.selectFrom('webhooks').select(['id', 'events', 'bucket', 'prefix', 'format']).where('disabled_at', 'is', null),
)
/** The endpoints that events are queued for. */
export const findEnabledEndpoints = async (db: Db) => (await keptEndpoints(db, '')) ?? []
const keptEndpoints = kept((db) => enabled(db, {}), { lately: true })

/** Who created each of these buckets. */
export async function findOwners(db: Db, names: readonly string[]): Promise<Map<string, string | null>> {
  if (names.length === 0) return new Map()
  const rows = await db.selectFrom('buckets').select(['name', 'created_by']).where('name', 'in', names).execute()
  return new Map(rows.map(({ name, created_by }) => [name, created_by]))
}

export async function insertDeliveries(tx: Tx, rows: readonly NewRow<'webhook_deliveries'>[]): Promise<void> {
  for (let i = 0; i < rows.length; i += 1000)
    await tx
      .insertInto('webhook_deliveries')
      .values(rows.slice(i, i + 1000))
      .execute()
}

export const insertEndpoint = (tx: Tx, row: NewRow<'webhooks'>): Promise<EndpointRow> =>
  tx.insertInto('webhooks').values(row).returningAll().executeTakeFirstOrThrow()

export const countEndpoints = async (db: Db): Promise<number> =>
  (
    await db
      .selectFrom('webhooks')
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

export const findEndpoint = (db: Db, id: string): Promise<EndpointRow | undefined> =>
  db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()

/** Waits for a claim in progress; deliveries can be queued meanwhile. */
export const lockEndpoint = (tx: Tx, id: string): Promise<EndpointRow | undefined> =>
  tx.selectFrom('webhooks').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

export const lockAllEndpoints = (tx: Tx): Promise<EndpointRow[]> =>
  tx.selectFrom('webhooks').selectAll().orderBy('id').forNoKeyUpdate().execute()

export const updateEndpoint = (tx: Tx, id: string, change: RowChange<'webhooks'>): Promise<EndpointRow> =>
  tx.updateTable('webhooks').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Deletes an endpoint with its deliveries and their attempts. */
export const deleteEndpoint = (tx: Tx, id: string): Promise<EndpointRow | undefined> =>
  tx.deleteFrom('webhooks').where('id', '=', id).returningAll().executeTakeFirst()

/** Endpoints before an id, latest first. */
export function listEndpoints(db: Db, before: string | undefined, limit: number): Promise<EndpointRow[]> {
  let query = db.selectFrom('webhooks').selectAll()
  if (before !== undefined) query = query.where('id', '<', before)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

export const findEndpointsByName = (db: Db, name: string): Promise<EndpointRow[]> =>
  db.selectFrom('webhooks').selectAll().where('name', '=', name).execute()

const MOST_RECENT = 500
/**
 * Each endpoint's latest delivery, and how many of the most recent since a time were acknowledged and failed. Reads
 * only those, through the index on the latest.
 */
export function findRecent(db: Db, endpointIds: readonly string[], since: string) {
  if (endpointIds.length === 0) return []
  const count = (status: DeliveryRow['status']) =>
    sql<number>`(select count(*) from (
      select status from webhook_deliveries where webhook_id = e.id and created_at >= ${since}
      order by created_at desc, id desc limit ${sql.lit(MOST_RECENT)}) as recent where status = ${status})`
  return db
    .selectFrom('webhooks as e')
    .leftJoin('webhook_deliveries as d', (join) =>
      join.on('d.id', '=', (e) =>
        e
          .selectFrom('webhook_deliveries as latest')
          .select('latest.id')
          .whereRef('latest.webhook_id', '=', 'e.id')
          .orderBy('latest.created_at', 'desc')
          .orderBy('latest.id', 'desc')
          .limit(1),
      ),
    )
    .select(['e.id as webhook_id', 'd.id', 'd.event', 'd.status', 'd.attempts', 'd.created_at as at'])
    .select([count('acknowledged').as('acknowledged'), count('failed').as('failed')])
    .where('e.id', 'in', endpointIds)
    .execute()
}

/** How many deliveries of each endpoint failed since a time, among the latest `most` that did. */
export async function countFailedByEndpoint(db: Db, since: string, most: number): Promise<Map<string, number>> {
  const failed = db
    .selectFrom('webhook_deliveries')
    .select('webhook_id')
    .where(sql<boolean>`status = 'failed'`)
    .where('created_at', '>=', since)
    .orderBy('created_at', 'desc')
    .limit(most)
  const rows = await db
    .selectFrom(failed.as('failed'))
    .select(['webhook_id', (e) => e.fn.countAll<number>().as('count')])
    .groupBy('webhook_id')
    .execute()
  return new Map(rows.map(({ webhook_id, count }) => [webhook_id, count]))
}

export interface DeliveryFilter {
  endpointId: string
  status: DeliveryRow['status'] | undefined
  event: string | undefined
}
function matching(db: Db, { endpointId, status, event }: DeliveryFilter) {
  let query = db.selectFrom('webhook_deliveries').where('webhook_id', '=', endpointId)
  if (status !== undefined) query = query.where('status', '=', status)
  if (event !== undefined) query = query.where('event', '=', event)
  return query
}

/** A page of deliveries without their bodies, latest first. */
export const listDeliveries = (db: Db, filter: DeliveryFilter, offset: number, limit: number) =>
  matching(db, filter)
    .select(['id', 'audit_id', 'event', 'status', 'attempts', 'last_status_code', 'last_error'])
    .select(['created_at', 'next_attempt_at', 'acknowledged_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

/** Where the events of these audit records happened. */
export async function findPlaces(db: Db, auditIds: readonly string[]) {
  if (auditIds.length === 0) return new Map<string, { bucket: string | null; object_key: string | null }>()
  const rows = await db.selectFrom('audit').select(['id', 'bucket', 'object_key']).where('id', 'in', auditIds).execute()
  return new Map(rows.map(({ id, ...place }) => [id, place]))
}

/** How many deliveries match, counted up to `most`. */
export const countDeliveries = async (db: Db, filter: DeliveryFilter, most: number): Promise<number> =>
  (
    await db
      .selectFrom(matching(db, filter).select('id').limit(most).as('matching'))
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

export const findDelivery = (db: Db, endpointId: string, id: string): Promise<DeliveryRow | undefined> =>
  db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('webhook_id', '=', endpointId)
    .executeTakeFirst()

export const listAttempts = (db: Db, deliveryId: string): Promise<Row<'webhook_attempts'>[]> =>
  db.selectFrom('webhook_attempts').selectAll().where('delivery_id', '=', deliveryId).orderBy('id').execute()

/** Queues one attempt of a finished delivery; undefined if it is not finished (any more). */
export const queueResend = (tx: Tx, endpointId: string, id: string, now: Date): Promise<DeliveryRow | undefined> =>
  tx
    .updateTable('webhook_deliveries')
    .set((e) => ({
      resend_from: e.ref('status').$castTo<DeliveryRow['resend_from']>(),
      status: 'queued' as const,
      next_attempt_at: now.toISOString(),
      interruptions: 0,
    }))
    .where('id', '=', id)
    .where('webhook_id', '=', endpointId)
    .where('status', '<>', 'queued')
    .returningAll()
    .executeTakeFirst()

/** Makes a queued delivery due now, unless it is in flight. */
export const hasten = (tx: Tx, endpointId: string, id: string, now: Date): Promise<DeliveryRow | undefined> =>
  tx
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: now.toISOString() })
    .where('id', '=', id)
    .where('webhook_id', '=', endpointId)
    .where('status', '=', 'queued')
    .where((e) => e.or([e('lease_until', 'is', null), e('lease_until', '<=', now.toISOString())]))
    .returningAll()
    .executeTakeFirst()

/** Queues a period's failed deliveries again, oldest first; returns how many. */
export async function requeueFailed(
  tx: Tx,
  endpointId: string,
  { since, until, most }: { since: string; until: string | undefined; most: number },
  now: Date,
): Promise<number> {
  let failed = tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', endpointId)
    .where('status', '=', 'failed')
    .where('created_at', '>=', new Date(since).toISOString())
  if (until !== undefined) failed = failed.where('created_at', '<', new Date(until).toISOString())
  const { numUpdatedRows } = await tx
    .updateTable('webhook_deliveries')
    .set((e) => ({
      status: 'queued' as const,
      schedule_from: e.ref('attempts'),
      next_attempt_at: now.toISOString(),
      interruptions: 0,
    }))
    .where('id', 'in', failed.orderBy('created_at').orderBy('id').limit(most))
    .where('status', '=', 'failed')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Counts deliveries created in a period that failed for good. */
export const countFailed = async (db: Db, from: string, to: string): Promise<number> =>
  (
    await db
      .selectFrom('webhook_deliveries')
      .select((e) => e.fn.countAll<number>().as('count'))
      // A literal, as in the index: a parameter would not match it.
      .where(sql<boolean>`status = 'failed'`)
      .where('created_at', '>=', from)
      .where('created_at', '<', to)
      .executeTakeFirstOrThrow()
  ).count
