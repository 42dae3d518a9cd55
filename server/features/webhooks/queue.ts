import { type RawBuilder, sql } from 'kysely'
import { prepared } from '../../db/prepare.ts'
import type { Db, NewRow, Row, RowChange, Tx } from '../../db/schema.ts'
import type { DeliveryRow, EndpointRow } from './store.ts'

/** Endpoints considered per claim. */
const MOST_ENDPOINTS = 50

/** A leased delivery: only the holder of its token may send it and store the outcome. */
export interface Claimed extends DeliveryRow {
  lease_token: string
  endpoint: EndpointRow
}

// These conditions repeat the literals of partial indexes, since SQLite would not use such an index for a parameter.
const due = (now: string) =>
  sql<boolean>`d.status = 'queued' and d.next_attempt_at <= ${now} and (d.lease_until is null or d.lease_until <= ${now})`
const queued = sql<boolean>`d.status = 'queued'`
const begun = sql<boolean>`d.status = 'queued' and (d.attempts > 0 or d.event = 'ping')`
const pings = sql<boolean>`d.status = 'queued' and d.event = 'ping'`

/** What an endpoint may be sent now; `ready` says the same in SQL. */
function allowed({ disabled_at, cooling_until }: EndpointRow, now: string): RawBuilder<boolean> {
  if (disabled_at !== null) return pings
  return cooling_until !== null && cooling_until > now ? begun : queued
}

/**
 * Whether an endpoint has something to send now, and room for it. A disabled endpoint gets only pings, one that is
 * cooling down no first attempts. A scalar subquery with a limit: with `exists`, PostgreSQL would hash the whole queue.
 */
function ready(now: string): RawBuilder<boolean> {
  const first = (condition: RawBuilder<boolean>) =>
    sql`(select d.id from webhook_deliveries d where d.webhook_id = e.id and ${condition} and ${due(now)} limit 1) is not null`
  return sql<boolean>`(
    case
      when e.disabled_at is not null then ${first(pings)}
      when e.cooling_until > ${now} then ${first(begun)}
      else ${first(queued)}
    end
    and (select count(*) from webhook_deliveries d
         where d.webhook_id = e.id and d.lease_token is not null and d.lease_until > ${now}) < e.max_in_flight)`
}

/** Whether a claim would find anything. */
export const isAnythingDue = async (db: Db, now: Date): Promise<boolean> =>
  (await db.selectFrom('webhooks as e').select('e.id').where(ready(now.toISOString())).limit(1).executeTakeFirst()) !==
  undefined

/** Locks ready endpoints in random order, skipping those that another replica is claiming for. */
const lockReady = (tx: Tx, now: string, limit: number): Promise<EndpointRow[]> =>
  tx
    .selectFrom('webhooks as e')
    .selectAll('e')
    .where(ready(now))
    .orderBy(sql`random()`)
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked()
    .execute()

async function countInFlight(tx: Tx, endpoints: readonly EndpointRow[], now: string): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('webhook_deliveries')
    .select((e) => ['webhook_id', e.fn.countAll<number>().as('count')])
    .where(
      'webhook_id',
      'in',
      endpoints.map(({ id }) => id),
    )
    .where('lease_token', 'is not', null)
    .where('lease_until', '>', now)
    .groupBy('webhook_id')
    .execute()
  return new Map(rows.map(({ webhook_id, count }) => [webhook_id, count]))
}

/** Deals slots out one at a time until none is left or no endpoint has room. */
function share(slots: number, rooms: readonly number[]): number[] {
  const given = rooms.map(() => 0)
  for (let left = slots, before = -1; left > 0 && left !== before; ) {
    before = left
    for (const [i, room] of rooms.entries()) {
      if (left === 0 || (given[i] ?? 0) >= room) continue
      given[i] = (given[i] ?? 0) + 1
      left--
    }
  }
  return given
}

/** A claim's result: deliveries to send, and those among them whose earlier attempt ended with its process. */
export interface Claim {
  deliveries: Claimed[]
  interrupted: { delivery: Claimed; leasedAt: string }[]
}

/**
 * Leases up to `slots` due deliveries, shared out among the endpoints so that none starves the others. Deliveries in
 * flight are counted after the endpoints are locked, by a statement of its own: counted in the locking statement, whose
 * snapshot predates the other's commit, two replicas overshot a limit of 2 with 4.
 */
export async function claimDeliveries(
  tx: Tx,
  { slots, now, until, token }: { slots: number; now: Date; until: Date; token: string },
): Promise<Claim> {
  const time = now.toISOString()
  const endpoints = await lockReady(tx, time, Math.min(slots, MOST_ENDPOINTS))
  if (endpoints.length === 0) return { deliveries: [], interrupted: [] }
  const inFlight = await countInFlight(tx, endpoints, time)
  const rooms = endpoints.map(({ id, max_in_flight }) => Math.max(0, max_in_flight - (inFlight.get(id) ?? 0)))
  const shares = share(slots, rooms)
  const branches = endpoints.flatMap((endpoint, i) => {
    const limit = shares[i] ?? 0
    if (limit === 0) return []
    return [
      sql`select * from (
            select d.id, d.leased_at from webhook_deliveries d
            where d.webhook_id = ${endpoint.id} and ${allowed(endpoint, time)} and ${due(time)}
            order by d.next_attempt_at, d.id limit ${limit}) as ${sql.ref(`b${i}`)}`,
    ]
  })
  if (branches.length === 0) return { deliveries: [], interrupted: [] }
  const { rows } = await sql<{ id: string; leased_at: string | null }>`${sql.join(branches, sql` union all `)}`.execute(
    tx,
  )
  if (rows.length === 0) return { deliveries: [], interrupted: [] }
  const byId = new Map(endpoints.map((one) => [one.id, one]))
  const leased = await tx
    .updateTable('webhook_deliveries')
    .set({ lease_token: token, lease_until: until.toISOString(), leased_at: time })
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .where('status', '=', 'queued')
    .where((e) => e.or([e('lease_until', 'is', null), e('lease_until', '<=', time)]))
    .returningAll()
    .execute()
  const deliveries = leased.map((row) => ({
    ...row,
    lease_token: token,
    endpoint: byId.get(row.webhook_id) as EndpointRow,
  }))
  const formerly = new Map(rows.map(({ id, leased_at }) => [id, leased_at]))
  const interrupted = deliveries.flatMap((delivery) => {
    const leasedAt = formerly.get(delivery.id)
    return leasedAt ? [{ delivery, leasedAt }] : []
  })
  return { deliveries, interrupted }
}

const write = prepared(
  (
    tx: Tx,
    row: Pick<
      DeliveryRow,
      | 'id'
      | 'status'
      | 'attempts'
      | 'last_status_code'
      | 'last_error'
      | 'next_attempt_at'
      | 'acknowledged_at'
      | 'resend_from'
    > & { lease_token: string; nothing: null },
  ) =>
    tx
      .updateTable('webhook_deliveries')
      .set({
        status: row.status,
        attempts: row.attempts,
        last_status_code: row.last_status_code,
        last_error: row.last_error,
        next_attempt_at: row.next_attempt_at,
        acknowledged_at: row.acknowledged_at,
        resend_from: row.resend_from,
        lease_token: row.nothing,
        lease_until: row.nothing,
        leased_at: row.nothing,
      })
      .where('id', '=', row.id)
      .where('lease_token', '=', row.lease_token)
      .returning('id'),
)

/** Stores an attempt's outcome and ends its lease; false if another process has taken it over. */
export const writeOutcome = async (tx: Tx, row: Omit<Parameters<typeof write>[1], 'nothing'>): Promise<boolean> =>
  (await write(tx, { ...row, nothing: null })).length > 0

/**
 * Like `writeOutcome`, for many attempts that succeeded with the same status. Returns the ids whose lease still held.
 */
export async function writeAcknowledged(
  tx: Tx,
  leases: readonly { id: string; lease_token: string }[],
  { status, at }: { status: number | null; at: Date },
): Promise<string[]> {
  const pairs = sql.join(leases.map(({ id, lease_token }) => sql`(${id}, ${lease_token})`))
  const rows = await tx
    .updateTable('webhook_deliveries')
    .set((e) => ({
      status: 'acknowledged' as const,
      attempts: e('attempts', '+', 1),
      last_status_code: status,
      acknowledged_at: e.fn.coalesce('acknowledged_at', e.val(at.toISOString())),
      last_error: null,
      next_attempt_at: null,
      resend_from: null,
      lease_token: null,
      lease_until: null,
      leased_at: null,
    }))
    .where(
      'id',
      'in',
      leases.map(({ id }) => id),
    )
    .where(sql<boolean>`(id, lease_token) in (values ${pairs})`)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

export const updateLeased = (tx: Tx, id: string, token: string, change: RowChange<'webhook_deliveries'>) =>
  tx.updateTable('webhook_deliveries').set(change).where('id', '=', id).where('lease_token', '=', token).execute()

export async function insertAttempts(tx: Tx, rows: readonly NewRow<'webhook_attempts'>[]): Promise<void> {
  for (let i = 0; i < rows.length; i += 500)
    await tx
      .insertInto('webhook_attempts')
      .values(rows.slice(i, i + 500))
      .execute()
}

/** Ends the failure streak of endpoints that succeeded; touches no row without one. */
export const clearFailures = (tx: Tx, ids: readonly string[]) =>
  tx
    .updateTable('webhooks')
    .set({ failing_since: null, failed_deliveries: 0, failures_in_row: 0, cooling_until: null })
    .where('id', 'in', ids)
    .where('failing_since', 'is not', null)
    .execute()

/** Locks the endpoints with these ids, in order of id. */
export const lockEndpoints = (tx: Tx, ids: readonly string[]): Promise<EndpointRow[]> =>
  tx.selectFrom('webhooks').selectAll().where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute()

export const updateFailures = (tx: Tx, id: string, change: RowChange<'webhooks'>) =>
  tx.updateTable('webhooks').set(change).where('id', '=', id).execute()

export type AttemptRow = Row<'webhook_attempts'>
