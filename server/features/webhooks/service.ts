import { ServiceError } from '../../../contract/errors.ts'
import { bodySchema, eventNames, events } from '../../../contract/events.ts'
import type { NewWebhook, Webhook } from '../../../contract/webhooks.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { newId } from '../../base/id.ts'
import { invalid, invalidAll } from '../../base/invalid.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import type { RowChange, Tx } from '../../db/schema.ts'
import { newSecret, sealSecret } from './secret.ts'
import * as store from './store.ts'
import { checkTarget } from './target.ts'

/** How many endpoints there can be. */
export const MOST_ENDPOINTS = 500

/** The fields of an endpoint that an administrator sets. */
export interface EndpointFields {
  name?: string | undefined
  url?: string | undefined
  events?: readonly string[] | undefined
  bucket?: string | null | undefined
  prefix?: string | null | undefined
  format?: 'strongroom' | 's3' | undefined
  max_in_flight?: number | undefined
  enabled?: boolean | undefined
  /** The secret that signs its deliveries, where it is not to be a new one. */
  secret?: string | undefined
}

export const endpointMissing = () => new ServiceError('not_found', 'There is no such webhook endpoint.')

/** Throws invalid_request naming every unknown event. */
export function checkEvents(wanted: readonly string[]): void {
  const known: readonly string[] = eventNames
  const faults = wanted.flatMap((name, i) =>
    name === '*' || known.includes(name)
      ? []
      : [{ path: `body.events.${i}`, message: `"${name.slice(0, 64)}" is not an event` }],
  )
  if (faults.length > 0) throw invalidAll(faults)
}

/** Throws invalid_request for a prefix without a bucket. */
export function checkFilter(bucket: string | null, prefix: string | null): void {
  if (bucket === null && prefix !== null) throw invalid('body.prefix', 'requires bucket')
}

/** Registers an endpoint; its secret is only in this response. */
export async function createWebhook(
  ctx: Ctx,
  input: EndpointFields & { name: string; url: string; events: readonly string[] },
): Promise<NewWebhook> {
  const { name, url, events: wanted, bucket = null, prefix = null, max_in_flight = 2, enabled = true } = input
  const { format = 'strongroom' } = input
  checkEvents(wanted)
  checkFilter(bucket, prefix)
  await checkTarget(ctx.config, url)
  const secret = input.secret ?? newSecret()
  const row = await ctx.act(async ({ tx, record }) => {
    if ((await store.countEndpoints(tx)) >= MOST_ENDPOINTS)
      throw new ServiceError(
        'limit_reached',
        `There are already ${MOST_ENDPOINTS} webhook endpoints, the most allowed.`,
      )
    const now = ctx.now().toISOString()
    const row = await store.insertEndpoint(tx, {
      id: newId(),
      name,
      url,
      bucket,
      prefix,
      format,
      max_in_flight,
      events: JSON.stringify(wanted),
      secret: sealSecret(ctx.config, secret),
      created_at: now,
      created_by: ctx.actor.user_id,
      disabled_at: enabled ? null : now,
    })
    record({ name: 'webhook_create', resource: { type: 'webhook', id: row.id }, details: detailsOf(row) })
    return row
  })
  return { ...describe(ctx, row), secret }
}

/** A next secret whose grace period has ended no longer counts as pending, even if its promotion is not stored yet. */
export const isRotating = (ctx: Ctx, { promotes_at }: store.EndpointRow): boolean =>
  promotes_at !== null && Date.parse(promotes_at) > ctx.now().getTime()

export function describe(ctx: Ctx, row: store.EndpointRow): Webhook {
  const cooling = row.cooling_until !== null && Date.parse(row.cooling_until) > ctx.now().getTime()
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    bucket: row.bucket,
    prefix: row.prefix,
    format: row.format,
    enabled: row.disabled_at === null,
    disabled_at: row.disabled_at,
    disabled_reason: row.disabled_reason,
    max_in_flight: row.max_in_flight,
    rotation: isRotating(ctx, row) ? { promotes_at: row.promotes_at ?? '' } : null,
    failing_since: row.failing_since,
    cooling_until: cooling ? row.cooling_until : null,
    created_at: row.created_at,
    created_by: row.created_by,
  }
}

/** A URL as others may see it, without its query, in which receivers keep tokens. */
function publicUrl(text: string): string {
  const url = new URL(text)
  return url.origin + url.pathname + (url.search ? '?***' : '')
}
const shown = ({ name, url, events: wanted, bucket, prefix }: store.EndpointRow) => ({
  name,
  bucket,
  prefix,
  url: publicUrl(url),
  events: JSON.parse(wanted) as string[],
})
const detailsOf = (row: store.EndpointRow) => ({ webhook_id: row.id, ...shown(row) })

/** All endpoints, latest first, with the outcomes of recent deliveries. */
export async function listWebhooks(ctx: Ctx, limit: number, cursor: string | undefined) {
  const [before] = decodeCursor(cursor, 1) ?? []
  const rows = await store.listEndpoints(ctx.db, before, limit + 1)
  const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [id])
  const since = new Date(ctx.now().getTime() - DAY_MS).toISOString()
  const ids = page.map(({ id }) => id)
  const recent = new Map((await store.findRecent(ctx.db, ids, since)).map((row) => [row.webhook_id, row]))
  return {
    items: page.map((row) => ({ ...describe(ctx, row), ...describeRecent(recent.get(row.id)) })),
    next_cursor,
    sending: ctx.config.webhooksEnabled,
  }
}

function describeRecent(row: Awaited<ReturnType<typeof store.findRecent>>[number] | undefined) {
  const { id, event, status, attempts, at } = row ?? {}
  return {
    last_delivery: id && event && status && at ? { id, event, status, attempts: attempts ?? 0, at } : null,
    recent: { acknowledged: row?.acknowledged ?? 0, failed: row?.failed ?? 0 },
  }
}

export async function getWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  const row = await store.findEndpoint(ctx.db, id)
  if (!row) throw endpointMissing()
  return describe(ctx, row)
}

/** Changes the given fields. A new URL, or resuming, clears the endpoint's failures. */
export async function updateWebhook(ctx: Ctx, id: string, input: EndpointFields): Promise<Webhook> {
  if (input.events) checkEvents(input.events)
  if (input.url !== undefined) await checkTarget(ctx.config, input.url)
  return ctx.act(async ({ tx, record }) => {
    const row = await lock(tx, id)
    const { enabled, events: wanted, secret, ...fields } = input
    const now = ctx.now().toISOString()
    const pauses = enabled === false && row.disabled_at === null
    const resumes = enabled === true && row.disabled_at !== null
    const moves = fields.url !== undefined && fields.url !== row.url
    const change: RowChange<'webhooks'> = {
      ...(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as typeof fields),
      ...(wanted ? { events: JSON.stringify(wanted) } : {}),
      ...(secret === undefined ? {} : { secret: sealSecret(ctx.config, secret), next_secret: null, promotes_at: null }),
      ...(pauses ? { disabled_at: now, disabled_reason: null } : {}),
      ...(resumes ? { disabled_at: null, disabled_reason: null } : {}),
      ...(resumes || moves
        ? { failing_since: null, failed_deliveries: 0, failures_in_row: 0, cooling_until: null }
        : {}),
    } as RowChange<'webhooks'>
    const next = { ...row, ...change } as store.EndpointRow
    checkFilter(next.bucket, next.prefix)
    await store.updateEndpoint(tx, id, { name: row.name, ...change })
    const side = (one: store.EndpointRow) => {
      const all: { [field: string]: unknown } = {
        ...shown(one),
        format: one.format,
        max_in_flight: one.max_in_flight,
        enabled: one.disabled_at === null,
      }
      return Object.fromEntries(Object.keys(input).flatMap((field) => (field in all ? [[field, all[field]]] : [])))
    }
    const changed = secret === undefined ? {} : { secret_changed: true as const }
    const details = { webhook_id: id, before: side(row), after: side(next), ...changed }
    record({ name: 'webhook_update', resource: { type: 'webhook', id }, details })
    return describe(ctx, next)
  })
}

export async function lock(tx: Tx, id: string): Promise<store.EndpointRow> {
  const row = await store.lockEndpoint(tx, id)
  if (!row) throw endpointMissing()
  return row
}

/** Deletes an endpoint with its queue and log; outcomes of attempts in flight are dropped. */
export const deleteWebhook = (ctx: Ctx, id: string): Promise<undefined> =>
  ctx.act(async ({ tx, record }) => {
    const row = await store.deleteEndpoint(tx, id)
    if (!row) throw endpointMissing()
    record({ name: 'webhook_delete', resource: { type: 'webhook', id }, details: detailsOf(row) })
    return undefined
  })

/** The catalogue of events. */
export const listEvents = () => ({
  items: eventNames.map((name) => ({
    name,
    summary: events[name].summary,
    // Serialised, because typebox attaches marks to schemas that JSON omits.
    schema: JSON.parse(JSON.stringify(bodySchema(name))) as object,
  })),
})
