import type { Ctx } from '../context.ts'
import { selectOne } from './store.ts'

const DEADLINE_MS = 5000

/** Asks the database and the storage whether they can work now; each has five seconds. Reasons go to the log only. */
export async function checkReadiness(ctx: Ctx) {
  const [database, storage] = await Promise.all([
    probe(ctx, 'database', () => selectOne(ctx.db)),
    probe(ctx, 'storage', () => ctx.blobs.check()),
  ])
  return { status: database.ok && storage.ok ? ('ready' as const) : ('not_ready' as const), database, storage }
}

async function probe(ctx: Ctx, name: string, check: () => Promise<unknown>): Promise<{ ok: boolean; error?: string }> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${DEADLINE_MS} ms`)), DEADLINE_MS)
  try {
    await Promise.race([check(), late])
    return { ok: true }
  } catch (error) {
    ctx.log.error({ err: error }, `the ${name} is not ready`)
    return { ok: false, error: `The ${name} does not answer as it should.` }
  } finally {
    clearTimeout(timer)
  }
}
