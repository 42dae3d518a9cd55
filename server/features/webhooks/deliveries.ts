import { ServiceError } from '../../../contract/errors.ts'
import type { Attempt, Delivery } from '../../../contract/webhooks.ts'
import { newId } from '../../base/id.ts'
import type { Ctx } from '../../context.ts'
import type { Db, Row, Tx } from '../../db/schema.ts'
import { wakeDispatcher } from './queue-signal.ts'
import { endpointMissing } from './service.ts'
import * as store from './store.ts'

const COUNT_LIMIT = 10_000
const MOST_RECOVERED = 10_000

const deliveryMissing = () => new ServiceError('not_found', 'There is no such delivery of this endpoint.')

/** A numbered page of an endpoint's deliveries, latest first. Counting stops at 10,000. */
export async function listDeliveries(ctx: Ctx, filter: store.DeliveryFilter, page: number, pageSize: number) {
  if (!(await store.findEndpoint(ctx.db, filter.endpointId))) throw endpointMissing()
  const rows = await store.listDeliveries(ctx.db, filter, (page - 1) * pageSize, pageSize)
  const items = await describeAll(ctx.db, rows)
  const counted = await store.countDeliveries(ctx.db, filter, COUNT_LIMIT + 1)
  const total = Math.max(Math.min(counted, COUNT_LIMIT), items.length && (page - 1) * pageSize + items.length)
  return { items, total, page, page_size: pageSize, total_is_estimate: counted > COUNT_LIMIT }
}

/** A delivery with its body and all attempts. */
export async function getDelivery(ctx: Ctx, endpointId: string, id: string) {
  const row = await store.findDelivery(ctx.db, endpointId, id)
  if (!row) throw deliveryMissing()
  const attempts = await store.listAttempts(ctx.db, id)
  return { ...(await describe(ctx.db, row)), body: row.body, attempt_log: attempts.map(describeAttempt) }
}

type Listed = Awaited<ReturnType<typeof store.listDeliveries>>[number]

async function describeAll(db: Db, rows: readonly Listed[]): Promise<Delivery[]> {
  const places = await store.findPlaces(
    db,
    rows.map(({ audit_id }) => audit_id),
  )
  return rows.map((row) => ({
    id: row.id,
    event: row.event,
    bucket: places.get(row.audit_id)?.bucket ?? null,
    object_key: places.get(row.audit_id)?.object_key ?? null,
    status: row.status,
    attempts: row.attempts,
    last_status_code: row.last_status_code,
    last_error: row.last_error,
    created_at: row.created_at,
    next_attempt_at: row.next_attempt_at,
    acknowledged_at: row.acknowledged_at,
  }))
}
async function describe(db: Db, row: Listed): Promise<Delivery> {
  const [delivery] = await describeAll(db, [row])
  return delivery as Delivery
}

const describeAttempt = ({ id: _id, delivery_id: _delivery, ...row }: Row<'webhook_attempts'>): Attempt => ({
  ...row,
  request_headers: JSON.parse(row.request_headers) as Record<string, string>,
  response_headers: row.response_headers === null ? null : (JSON.parse(row.response_headers) as Record<string, string>),
  response_truncated: row.response_truncated === 1,
})

function assertOn(ctx: Ctx): void {
  if (!ctx.config.webhooksEnabled)
    throw new ServiceError('conflict', 'Webhooks are disabled (WEBHOOKS_ENABLED is false).')
}

/** Queues a ping for one endpoint, even if it is disabled, so that a fix can be tested before enabling it. */
export async function testWebhook(ctx: Ctx, endpointId: string): Promise<Delivery> {
  assertOn(ctx)
  const id = newId()
  await ctx.act(async ({ tx, record }) => {
    const endpoint = await store.lockEndpoint(tx, endpointId)
    if (!endpoint) throw endpointMissing()
    record({
      name: 'ping',
      resource: { type: 'webhook', id: endpointId },
      details: { webhook_id: endpointId, name: endpoint.name, delivery_id: id },
    })
  })
  const row = await store.findDelivery(ctx.db, endpointId, id)
  if (!row) throw endpointMissing()
  return describe(ctx.db, row)
}

async function lockEnabled(tx: Tx, endpointId: string): Promise<void> {
  const endpoint = await store.lockEndpoint(tx, endpointId)
  if (!endpoint) throw endpointMissing()
  if (endpoint.disabled_at !== null) throw new ServiceError('conflict', 'The endpoint is disabled. Enable it first.')
}

/**
 * Queues one more attempt of a finished delivery, with the same id and body, so that receivers can detect the repeat.
 * A queued one is sent now instead of at its time: its schedule continues from there, and an endpoint that is cooling
 * down gets first attempts again. Throws conflict while it is in flight.
 */
export async function resendDelivery(ctx: Ctx, endpointId: string, id: string): Promise<Delivery> {
  assertOn(ctx)
  const row = await ctx.act(async ({ tx, record }) => {
    await lockEnabled(tx, endpointId)
    const queued =
      (await store.queueResend(tx, endpointId, id, ctx.now())) ?? (await store.hasten(tx, endpointId, id, ctx.now()))
    if (!queued) {
      if (!(await store.findDelivery(tx, endpointId, id))) throw deliveryMissing()
      throw new ServiceError('conflict', 'The delivery is in flight.')
    }
    if (queued.attempts === 0 && queued.event !== 'ping')
      await store.updateEndpoint(tx, endpointId, { cooling_until: null })
    record({
      name: 'webhook_resend',
      resource: { type: 'webhook', id: endpointId },
      details: { webhook_id: endpointId, delivery_id: id, event: queued.event },
    })
    return queued
  })
  wakeDispatcher(ctx.config)
  return describe(ctx.db, row)
}

/** Queues an endpoint's failed deliveries of a period again, each with a full retry schedule. */
export async function recoverDeliveries(ctx: Ctx, endpointId: string, since: string, until: string | undefined) {
  assertOn(ctx)
  const requeued = await ctx.act(async ({ tx, record }) => {
    await lockEnabled(tx, endpointId)
    const count = await store.requeueFailed(tx, endpointId, { since, until, most: MOST_RECOVERED }, ctx.now())
    record({
      name: 'webhook_recover',
      resource: { type: 'webhook', id: endpointId },
      details: { webhook_id: endpointId, deliveries: count, since, until: until ?? null },
    })
    return count
  })
  wakeDispatcher(ctx.config)
  return { requeued }
}
