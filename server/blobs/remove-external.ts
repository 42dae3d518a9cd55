import type { Ctx } from '../context.ts'
import { isStorageOutage } from '../drivers/driver.ts'
import { telemetryOf } from '../observe/telemetry.ts'
import * as store from './store.ts'

const BATCH = 500
/** Objects that are removed at the same time: each costs two requests. */
const AT_ONCE = 16
/** After so many refusals a storage is left alone until the next run. */
const MOST_REFUSALS = 100

/** What went wrong with a storage in one run. */
interface Trouble {
  error: unknown
  refusals: number
  away: boolean
}

/**
 * Removes from their storages what was taken over and nothing points at any more, oldest first. What others have changed
 * there stays; what a storage refuses to remove, such as a locked object, is tried again after all others. A storage that
 * fails does not keep what is on others: resolves to its error, if any.
 */
export async function removeTakenOver(ctx: Ctx): Promise<unknown> {
  if (!ctx.config.storagesEnabled) return undefined
  const troubles = new Map<number, Trouble>()
  const started = ctx.now().toISOString()
  for (let after: store.TakenOver | undefined; !ctx.stopping.aborted; ) {
    const page = await store.listTakenOver(ctx.db, after, BATCH)
    // Those that were put behind the others in this run.
    const due = page.filter(({ queued_at }) => queued_at <= started)
    for (let i = 0; i < due.length; i += AT_ONCE) await removeSome(ctx, due.slice(i, i + AT_ONCE), troubles)
    after = page.at(-1)
    if (due.length < BATCH) break
  }
  return [...troubles.values()][0]?.error
}

async function removeSome(ctx: Ctx, some: readonly store.TakenOver[], troubles: Map<number, Trouble>): Promise<void> {
  const settled: string[] = []
  const refused: string[] = []
  let removed = 0
  const removeOne = async (one: store.TakenOver): Promise<void> => {
    const before = troubles.get(one.storage_id)
    if (before && (before.away || before.refusals >= MOST_REFUSALS)) return
    try {
      const outcome = await (await ctx.blobs.remover(one.storage_id)).remove(one)
      if (outcome === 'removed') removed++
      if (outcome === 'changed')
        ctx.log.warn(
          { blob: one.blob_id, key: one.key },
          'an object that was to be removed was changed by others, and stays',
        )
      settled.push(one.blob_id)
    } catch (error) {
      const isRefusal = error instanceof Error && 'status' in error && !isStorageOutage(error)
      const { refusals } = troubles.get(one.storage_id) ?? { refusals: 0 }
      troubles.set(one.storage_id, { error, refusals: refusals + 1, away: !isRefusal })
      if (isRefusal) refused.push(one.blob_id)
    }
  }
  await Promise.all(some.map(removeOne))
  telemetryOf(ctx.config).metrics.strongroom_collector_removed_blobs_total.inc(removed)
  if (settled.length + refused.length === 0) return
  await ctx.upkeep(async ({ tx }) => {
    if (settled.length > 0) await store.deleteTakenOver(tx, settled)
    if (refused.length > 0) await store.deferTakenOver(tx, refused, ctx.now())
  })
}
