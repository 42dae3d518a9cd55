import { within } from '../../base/deadline.ts'
import type { Ctx } from '../../context.ts'
import { isStorageFull } from '../../db/storage-full.ts'
import { behind } from '../../http/standby.ts'
import { sharedFor } from './share-result.ts'
import { selectOne } from './store.ts'

const DEADLINE_MS = 5000
/** Milliseconds a result is reused: anyone may ask, and on S3 each check is three paid requests. */
const FRESH_MS = 1000

/**
 * Checks that the database and the storage work. Each has five seconds to respond, and results are reused for a second.
 * Reasons only go to the log. A process that is shutting down is not ready in any case.
 */
export async function checkReadiness(ctx: Ctx) {
  const [database, storage] = await look(ctx)
  const standby = behind(ctx.config)
  const ready = database.ok && storage.ok && !standby?.isTooFar && !ctx.stopping.aborted
  return {
    status: ready ? ('ready' as const) : ('not_ready' as const),
    database,
    storage,
    ...(standby && { standby: { ok: !standby.isTooFar, lag_seconds: standby.seconds } }),
  }
}

const look = sharedFor(FRESH_MS, (ctx) =>
  Promise.all([probe(ctx, 'database', () => selectOne(ctx.db)), probe(ctx, 'storage', () => ctx.blobs.check())]),
)

async function probe(ctx: Ctx, name: string, check: () => Promise<unknown>): Promise<{ ok: boolean; error?: string }> {
  try {
    await within(DEADLINE_MS, check())
    return { ok: true }
  } catch (error) {
    // A full disk is still read from, and deleting is what helps: whoever does it has to reach the service.
    if (isStorageFull(error)) return { ok: true }
    ctx.log.error({ err: error }, `the ${name} is not ready`)
    return { ok: false, error: `The ${name} is not working.` }
  }
}
