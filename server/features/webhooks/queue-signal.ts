import { perSystem } from '../../base/per-system.ts'
import type { Config } from '../../config/config.ts'

const listenersOf = perSystem(() => new Set<() => void>())

/** Has the dispatcher of this process look at the queue now. */
export function wakeDispatcher(config: Config): void {
  for (const wake of listenersOf(config)) wake()
}

/** Calls `wake` whenever this process has queued something, until the function it gives is called. */
export function onQueued(config: Config, wake: () => void): () => void {
  const listeners = listenersOf(config)
  listeners.add(wake)
  return () => void listeners.delete(wake)
}
