import type { StorageHealth } from '../../../../contract/storages.ts'

/** Milliseconds from which an answer is slow; after three seconds a storage counts as unreachable. */
const SLOW_MS = 1000

/** Whether a storage answers, and soon enough. */
export type StorageState = 'reachable' | 'slow' | 'unreachable'
export const stateOf = ({ ok, latency_ms }: Pick<StorageHealth, 'ok' | 'latency_ms'>): StorageState =>
  ok ? (latency_ms < SLOW_MS ? 'reachable' : 'slow') : 'unreachable'
