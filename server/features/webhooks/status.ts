import { sql } from 'kysely'
import { DAY_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { MOST_ENDPOINTS } from './service.ts'
import * as store from './store.ts'

/** Metrics worth watching. If `oldestReadySeconds` exceeds 60, deliveries arrive faster than they are sent. */
export interface WebhookStatus {
  /** Deliveries waiting for an attempt, including those of paused endpoints; counted up to 10,000. */
  queued: number
  inFlight: number
  /** How long the oldest sendable delivery has been due. */
  oldestReadySeconds: number
  disabledEndpoints: number
}

const MOST_COUNTED = 10_000
const MOST_FAILED = 5000

/** Endpoints that fail, that did in the last 24 hours, or that were disabled for it, latest first; and whether there are any. */
export async function listTroubled({ db, now }: Ctx, limit: number) {
  const rows = await store.listEndpoints(db, undefined, MOST_ENDPOINTS)
  if (rows.length === 0) return { any: false, items: [] }
  const failed = await store.countFailedByEndpoint(db, new Date(now().getTime() - DAY_MS).toISOString(), MOST_FAILED)
  const items = rows.flatMap(({ id, name, url, disabled_reason, failing_since }) => {
    const one = { id, name, url, disabled_reason, failing_since, failed: failed.get(id) ?? 0 }
    return disabled_reason !== null || failing_since !== null || one.failed > 0 ? [one] : []
  })
  return { any: true, items: items.slice(0, limit) }
}

/** The state of all deliveries. */
export async function webhookStatus(ctx: Ctx): Promise<WebhookStatus> {
  const now = ctx.now().toISOString()
  const count = sql<number>`count(*)`.as('count')
  const queued = await ctx.db
    .selectFrom((e) =>
      e
        .selectFrom('webhook_deliveries')
        .select('id')
        .where(sql<boolean>`status = 'queued'`)
        .limit(MOST_COUNTED)
        .as('counted'),
    )
    .select(count)
    .executeTakeFirstOrThrow()
  const leased = await ctx.db
    .selectFrom('webhook_deliveries')
    .select(count)
    .where('lease_token', 'is not', null)
    .where('lease_until', '>', now)
    .executeTakeFirstOrThrow()
  // Reads the first of each endpoint by index, so that a backlog of millions costs no more than a short one.
  const cooling = sql<boolean>`(e.cooling_until is not null and e.cooling_until > ${now})`
  const first = sql<string | null>`(
    select d.next_attempt_at from webhook_deliveries d
    where d.webhook_id = e.id and d.status = 'queued' and d.next_attempt_at <= ${now}
      and (d.lease_until is null or d.lease_until <= ${now})
    order by d.next_attempt_at, d.id limit 1)`
  // While an endpoint cools down, only deliveries already attempted are due (and pings, which share the index).
  const begun = sql<string | null>`(
    select d.next_attempt_at from webhook_deliveries d
    where d.webhook_id = e.id and d.status = 'queued' and (d.attempts > 0 or d.event = 'ping')
      and d.next_attempt_at <= ${now} and (d.lease_until is null or d.lease_until <= ${now})
    order by d.next_attempt_at, d.id limit 1)`
  const oldest = await ctx.db
    .selectFrom('webhooks as e')
    .select(sql<string | null>`min(case when ${cooling} then ${begun} else ${first} end)`.as('at'))
    .where('e.disabled_at', 'is', null)
    .executeTakeFirst()
  const disabled = await ctx.db
    .selectFrom('webhooks')
    .select(count)
    .where('disabled_at', 'is not', null)
    .executeTakeFirstOrThrow()
  const since = oldest?.at ? ctx.now().getTime() - Date.parse(oldest.at) : 0
  return {
    queued: queued.count,
    inFlight: leased.count,
    oldestReadySeconds: Math.max(0, since / 1000),
    disabledEndpoints: disabled.count,
  }
}
