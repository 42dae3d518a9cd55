import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Ctx } from '../context.ts'

const counts = new WeakMap<Config, Map<string, number>>()

/** Counts an attempt of this process: `acknowledged` or the class of its failure. */
export function countAttempt(config: Config, outcome: string): void {
  const own = counts.get(config) ?? new Map<string, number>()
  counts.set(config, own)
  own.set(outcome, (own.get(outcome) ?? 0) + 1)
}

/** What is worth watching. Over 60 seconds of `oldestReadySeconds` deliveries come faster than they are sent. */
export interface WebhookStatus {
  /** Deliveries waiting for an attempt, those of endpoints that are paused included. */
  queued: number
  inFlight: number
  /** How long the longest-waiting delivery has been due that nothing holds back. */
  oldestReadySeconds: number
  disabledEndpoints: number
  /** Of this process since it started, by outcome. */
  attempts: ReadonlyMap<string, number>
}

/** The state of all deliveries, and this process's counters. */
export async function webhookStatus(ctx: Ctx): Promise<WebhookStatus> {
  const now = ctx.now().toISOString()
  const count = sql<number>`count(*)`.as('count')
  const queued = await ctx.db
    .selectFrom('webhook_deliveries')
    .select(count)
    .where(sql<boolean>`status = 'queued'`)
    .executeTakeFirstOrThrow()
  const leased = await ctx.db
    .selectFrom('webhook_deliveries')
    .select(count)
    .where('lease_token', 'is not', null)
    .where('lease_until', '>', now)
    .executeTakeFirstOrThrow()
  const oldest = await ctx.db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
    .select((e) => e.fn.min('d.next_attempt_at').as('at'))
    .where(sql<boolean>`d.status = 'queued'`)
    .where('d.next_attempt_at', '<=', now)
    .where('e.disabled_at', 'is', null)
    .where((e) => e.or([e('e.cooling_until', 'is', null), e('e.cooling_until', '<=', now), e('d.attempts', '>', 0)]))
    .where((e) => e.or([e('d.lease_until', 'is', null), e('d.lease_until', '<=', now)]))
    .executeTakeFirst()
  const disabled = await ctx.db
    .selectFrom('webhook_endpoints')
    .select(count)
    .where('disabled_at', 'is not', null)
    .executeTakeFirstOrThrow()
  const since = oldest?.at ? ctx.now().getTime() - Date.parse(oldest.at) : 0
  return {
    queued: queued.count,
    inFlight: leased.count,
    oldestReadySeconds: Math.max(0, since / 1000),
    disabledEndpoints: disabled.count,
    attempts: counts.get(ctx.config) ?? new Map(),
  }
}
