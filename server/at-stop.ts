import { closesOf } from './base/per-system.ts'
import type { Ctx } from './context.ts'

/**
 * The stages of shutdown, once nothing else runs in the process and while database and storage are still open. Each
 * begins after the one before has finished, so that what `write` records `seal` can seal.
 */
const stages = ['write', 'seal'] as const
type Stage = (typeof stages)[number]

const stops: { stage: Stage; stop: (ctx: Ctx) => Promise<void> | void }[] = []

/** Registers `stop` to be called at shutdown. */
export const atStop = (stage: Stage, stop: (ctx: Ctx) => Promise<void> | void): void => void stops.push({ stage, stop })

/**
 * Runs everything registered with `atStop`, stage by stage, then closes all state made by `perSystem`. Failures are
 * logged and do not stop the rest. Without `writes`, what only reads has nothing to write or seal.
 */
export async function stopAll(ctx: Ctx, { writes = true } = {}): Promise<void> {
  const attempt = async (stop: () => Promise<void> | void): Promise<void> => {
    try {
      await stop()
    } catch (error) {
      ctx.log.error({ err: error }, 'a shutdown step failed')
    }
  }
  for (const stage of writes ? stages : [])
    for (const one of stops) if (one.stage === stage) await attempt(() => one.stop(ctx))
  for (const close of closesOf(ctx.config)) await attempt(close)
}
