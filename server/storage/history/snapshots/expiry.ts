import { formatMoment } from '../../../base/moment.ts'
import { MINUTE_MS } from '../../../base/time.ts'
import type { Ctx } from '../../../context.ts'
import type { Row } from '../../../db/schema.ts'
import { countUsage, holdAnyBucket } from '../../buckets/service.ts'
import { releaseOrErase } from '../trash/service.ts'
import * as store from './store.ts'

const BATCH = 1000

/** Ends snapshots whose time has come, and releases what only ended ones kept. */
export const snapshotWorker = {
  name: 'snapshot-expiry',
  every: MINUTE_MS,
  deletesByAge: true as const,
  async run(ctx: Ctx): Promise<void> {
    for (const expired of await store.findExpired(ctx.db, ctx.now())) await endSnapshot(ctx, expired)
    for (const ended of await store.findEnded(ctx.db)) await releaseUnkept(ctx, ended)
  },
}

const endSnapshot = (ctx: Ctx, { id, bucket_id, bucket }: { id: string; bucket_id: string; bucket: string }) =>
  ctx.act(async (step) => {
    const row = await store.deleteSnapshot(step.tx, bucket_id, { id }, step.now())
    if (!row) return step.nothing(undefined)
    const details = { name: row.name, moment: formatMoment(Number(row.moment)), reason: 'expired' as const }
    step.record({ name: 'snapshot_delete', bucket, details })
    return undefined
  })

/** Releases what no snapshot of a bucket keeps any more. After a crash it begins again. */
async function releaseUnkept(ctx: Ctx, ended: Row<'ended_snapshots'>): Promise<void> {
  for (let after: string | null = ''; after !== null; ) after = await releaseBatch(ctx, ended.bucket_id, after)
  await ctx.upkeep(({ tx }) => store.forgetEnded(tx, ended))
}

/** Releases the next of them after a blob; resolves to the last one, or null when nothing is left. */
const releaseBatch = (ctx: Ctx, bucketId: string, after: string): Promise<string | null> =>
  ctx.act(async (step) => {
    const bucket = await holdAnyBucket(step.tx, bucketId)
    if (!bucket) return step.nothing(null)
    const rows = await store.deleteUnkept(step.tx, bucketId, { after, limit: BATCH })
    if (rows.length === 0) return step.nothing(null)
    const bytes = rows.reduce((sum, { size }) => sum + Number(size), 0)
    await countUsage(step.tx, bucket, { history_bytes: -bytes })
    const name = bucket.deleted_at === null ? bucket.name : (bucket.former_name ?? bucketId)
    await releaseOrErase(step, name, rows)
    const details = { reason: 'snapshot_ended' as const, objects: rows.length, bytes }
    step.record({ name: 'purge', bucket: name, details })
    const [last = ''] = rows.map(({ blob_id }) => blob_id).sort((a, b) => (a < b ? 1 : -1))
    return rows.length < BATCH ? null : last
  })
