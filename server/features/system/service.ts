import type { Ctx } from '../../context.ts'
import { within } from './deadline.ts'
import { sharedFor } from './fresh.ts'
import { selectOne } from './store.ts'

const DEADLINE_MS = 5000
/** How old what they said may be: anyone may ask, and on S3 each look is three paid requests. Milliseconds. */
const FRESH_MS = 1000

/**
 * Asks the database and the storage whether they can work now; each has five seconds, and what
 * they say holds for a second. Reasons go to the log only. A
 * process that is about to end is not ready, whatever they say.
 */
export async function checkReadiness(ctx: Ctx) {
  const [database, storage] = await look(ctx)
  const ready = database.ok && storage.ok && !ctx.stopping.aborted
  return { status: ready ? ('ready' as const) : ('not_ready' as const), database, storage }
}

const look = sharedFor(FRESH_MS, (ctx) =>
  Promise.all([probe(ctx, 'database', () => selectOne(ctx.db)), probe(ctx, 'storage', () => ctx.blobs.check())]),
)

async function probe(ctx: Ctx, name: string, check: () => Promise<unknown>): Promise<{ ok: boolean; error?: string }> {
  try {
    await within(DEADLINE_MS, check())
    return { ok: true }
  } catch (error) {
    ctx.log.error({ err: error }, `the ${name} is not ready`)
    return { ok: false, error: `The ${name} does not answer as it should.` }
  }
}
