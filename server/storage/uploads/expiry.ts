import { afterPrefix } from '../../../contract/permissions.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { allConfigs } from '../buckets/documents/config.ts'
import { endOfDay, RUNS_A_SHORT_DAY } from '../buckets/documents/lifecycle.ts'
import * as store from './store.ts'

const AT_ONCE = 500

/** Expires uploads that a bucket's lifecycle configuration gives no more days; the sweeper then removes them. */
export const abandonedUploads = {
  name: 'abandoned-uploads',
  every: ({ s3 }: Config) => Math.min(HOUR_MS, s3.lifecycleDayMs / RUNS_A_SHORT_DAY),
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    for await (const { bucket_id, config } of allConfigs(ctx.db, 'lifecycle'))
      for (const { enabled, abort_days, filter } of config)
        if (enabled && abort_days !== undefined) await expire(ctx, bucket_id, filter.prefix ?? '', abort_days)
  },
}

/** Days are counted to the next midnight UTC. */
async function expire(ctx: Ctx, bucketId: string, prefix: string, days: number): Promise<void> {
  const now = ctx.now()
  const { config } = ctx
  const startedBy = new Date(endOfDay(config, now).getTime() - days * config.s3.lifecycleDayMs)
  const keys = { from: prefix, to: afterPrefix(prefix) }
  const next = () =>
    ctx.upkeep(({ tx }) => store.expireStarted(tx, { bucket_id: bucketId, keys, startedBy, now }, AT_ONCE))
  while (!ctx.stopping.aborted && (await next()) === AT_ONCE);
}
