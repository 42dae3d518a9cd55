import { perSystem } from '../../base/per-system.ts'
import type { Config } from '../../config/config.ts'

const listenersOf = perSystem(() => new Set<() => void>())

/** Makes this process's dispatcher check the queue now. */
export function wakeDispatcher(config: Config): void {
  for (const wake of listenersOf(config)) wake()
}

/** Calls `wake` whenever this process queues deliveries; returns a function that stops it. */
export function onQueued(config: Config, wake: () => void): () => void {
  const listeners = listenersOf(config)
  listeners.add(wake)
  return () => void listeners.delete(wake)
}
