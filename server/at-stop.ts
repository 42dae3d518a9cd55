import { closesOf } from './base/per-system.ts'
import type { Ctx } from './context.ts'

/**
 * What a process does once nothing runs in it any more, while the database and the storage are still open. A stage
 * starts when the one before it is over: what one writes down the next may seal.
 */
const stages = ['write', 'seal'] as const
type Stage = (typeof stages)[number]

const stops: { stage: Stage; stop: (ctx: Ctx) => Promise<void> | void }[] = []

/** Has `stop` called when a service ends. */
export const atStop = (stage: Stage, stop: (ctx: Ctx) => Promise<void> | void): void => void stops.push({ stage, stop })

/**
 * Calls everything registered with `atStop`, stage by stage, then closes all state made by `perSystem`. A failure is
 * logged and stops nothing else.
 */
export async function stopAll(ctx: Ctx): Promise<void> {
  const inOrder = stages.flatMap((stage) => stops.filter((one) => one.stage === stage))
  for (const stop of [
    ...inOrder.map(
      ({ stop }) =>
        () =>
          stop(ctx),
    ),
    ...closesOf(ctx.config),
  ])
    try {
      await stop()
    } catch (error) {
      ctx.log.error({ err: error }, 'something could not be ended as it should')
    }
}
