import { sql } from 'kysely'
import { DAY_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'

/** How long a paused endpoint's deliveries stay queued. */
const PAUSED_DAYS = 7
const BATCH = 1000

/**
 * Deletes finished deliveries after their retention, gives up what has waited for a paused endpoint for too long, and
 * promotes new secrets whose grace period has ended.
 */
export const webhookKeeper = {
  name: 'webhook-keeper',
  every: 600_000,
  async run(ctx: Ctx): Promise<void> {
    const now = ctx.now()
    await ctx.upkeep(({ tx }) => promoteSecrets(tx, now))
    const before = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString()
    const endpoints = await ctx.db.selectFrom('webhooks').select(['id', 'disabled_at']).execute()
    for (const { id, disabled_at } of endpoints) {
      const oldest = before(ctx.config.webhooks.retentionDays)
      await inBatches(ctx, (tx) => deleteFinished(tx, id, oldest))
      if (disabled_at !== null && disabled_at < before(PAUSED_DAYS))
        await inBatches(ctx, (tx) => failPaused(tx, id, now))
    }
  },
}

async function inBatches(ctx: Ctx, step: (tx: Tx) => Promise<number>): Promise<void> {
  while (!ctx.stopping.aborted && (await ctx.upkeep(({ tx }) => step(tx), { relaxed: true })) === BATCH);
}

const promoteSecrets = (tx: Tx, now: Date) =>
  tx
    .updateTable('webhooks')
    .set((e) => ({ secret: e.ref('next_secret').$notNull(), next_secret: null, promotes_at: null }))
    .where('next_secret', 'is not', null)
    .where('promotes_at', '<=', now.toISOString())
    .execute()

async function deleteFinished(tx: Tx, endpointId: string, before: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', (e) =>
      e
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('webhook_id', '=', endpointId)
        .where('created_at', '<', before)
        .where('status', '<>', 'queued')
        .orderBy('created_at')
        .limit(BATCH),
    )
    .where('status', '<>', 'queued')
    .executeTakeFirst()
  return Number(numDeletedRows)
}

async function failPaused(tx: Tx, endpointId: string, now: Date): Promise<number> {
  const time = now.toISOString()
  const { numUpdatedRows } = await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', last_error: 'expired while paused', next_attempt_at: null, lease_token: null })
    .where('id', 'in', (e) =>
      e
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('webhook_id', '=', endpointId)
        .where(sql<boolean>`status = 'queued'`)
        .where('event', '<>', 'ping')
        .where((f) => f.or([f('lease_until', 'is', null), f('lease_until', '<=', time)]))
        .limit(BATCH),
    )
    .where((e) => e.or([e('lease_until', 'is', null), e('lease_until', '<=', time)]))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
