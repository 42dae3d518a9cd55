import type { Config } from './config.ts'
import type { Ctx } from './context.ts'

/**
 * What a process does once nothing runs in it any more, while the database and the storage are still open. A stage
 * begins when the one before it is over: what one writes down the next may seal.
 */
const stages = ['write', 'seal', 'close'] as const
type Stage = (typeof stages)[number]

const stops: { stage: Stage; stop: (ctx: Ctx) => Promise<void> | void }[] = []

/** Has `stop` called when a service ends. */
export const atStop = (stage: Stage, stop: (ctx: Ctx) => Promise<void> | void): void => void stops.push({ stage, stop })

/**
 * State that a process keeps for each service that runs in it (tests run several): made at the first use, told apart by
 * the service's configuration, gone with it. `close` lets go of what it holds when the service ends.
 */
export function perSystem<T, A extends unknown[] = []>(
  make: (config: Config, ...more: A) => T,
  close?: (value: T) => Promise<void> | void,
): (config: Config, ...more: A) => T {
  const values = new WeakMap<Config, { value: T }>()
  if (close)
    atStop('close', async ({ config }) => {
      const known = values.get(config)
      values.delete(config)
      if (known) await close(known.value)
    })
  return (config, ...more) => {
    let known = values.get(config)
    if (!known) {
      known = { value: make(config, ...more) }
      values.set(config, known)
    }
    return known.value
  }
}

/** Calls everything that is to be done `atStop`, stage by stage. A failure is logged and keeps nothing else from it. */
export async function stopAll(ctx: Ctx): Promise<void> {
  for (const stage of stages)
    for (const { stop } of stops.filter((one) => one.stage === stage))
      try {
        await stop(ctx)
      } catch (error) {
        ctx.log.error({ err: error }, 'something could not be ended as it should')
      }
}
