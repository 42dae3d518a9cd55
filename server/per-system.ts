import type { Config } from './config.ts'
import type { Ctx } from './context.ts'

/**
 * The stages of shutdown, once nothing else runs in the process and while database and storage are still open. Each
 * begins after the one before has finished, so that what `write` records `seal` can seal.
 */
const stages = ['write', 'seal', 'close'] as const
type Stage = (typeof stages)[number]

const stops: { stage: Stage; stop: (ctx: Ctx) => Promise<void> | void }[] = []

/** Registers `stop` to be called at shutdown. */
export const atStop = (stage: Stage, stop: (ctx: Ctx) => Promise<void> | void): void => void stops.push({ stage, stop })

/**
 * In-memory state of one service in this process (tests run several services): created on first use, keyed by the
 * service's configuration, and garbage-collected with it. `close` releases its resources at shutdown.
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

/** Runs everything registered with `atStop`, stage by stage. Failures are logged and do not stop the rest. */
export async function stopAll(ctx: Ctx): Promise<void> {
  for (const stage of stages)
    for (const { stop } of stops.filter((one) => one.stage === stage))
      try {
        await stop(ctx)
      } catch (error) {
        ctx.log.error({ err: error }, 'a shutdown step failed')
      }
}
