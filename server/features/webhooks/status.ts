import { sql } from 'kysely'
import type { Ctx } from '../../context.ts'

/** What is worth watching. Over 60 seconds of `oldestReadySeconds` deliveries come faster than they are sent. */
export interface WebhookStatus {
  /** Deliveries waiting for an attempt, those of endpoints that are paused included; counted up to 10,000. */
  queued: number
  inFlight: number
  /** How long the longest-waiting delivery has been due that nothing holds back. */
  oldestReadySeconds: number
  disabledEndpoints: number
}

const MOST_COUNTED = 10_000

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
  // The first of each endpoint by its index: a backlog of millions costs no more than a short one.
  const cooling = sql<boolean>`(e.cooling_until is not null and e.cooling_until > ${now})`
  const first = sql<string | null>`(
    select d.next_attempt_at from webhook_deliveries d
    where d.webhook_id = e.id and d.status = 'queued' and d.next_attempt_at <= ${now}
      and (d.lease_until is null or d.lease_until <= ${now})
    order by d.next_attempt_at, d.id limit 1)`
  // While an endpoint cools down nothing but what was begun is due (the index has pings as well, which are).
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
