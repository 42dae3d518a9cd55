// State in memory belongs to one service, of which tests run several in a process, and goes with it.
/** Releases what is kept for the service of a configuration. */
type Close = (config: object) => Promise<void> | void
const closes: Close[] = []

/**
 * In-memory state of one service in this process (tests run several services): created on first use, keyed by the
 * service's configuration, and garbage-collected with it. `close` releases its resources at shutdown.
 */
export function perSystem<T, C extends object = object, A extends unknown[] = []>(
  make: (config: C, ...more: A) => T,
  close?: (value: T) => Promise<void> | void,
): (config: C, ...more: A) => T {
  const values = new WeakMap<object, { value: T }>()
  if (close)
    closes.push(async (config) => {
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

/** What to call when the service of a configuration shuts down. */
export const closesOf = (config: object): (() => Promise<void> | void)[] => closes.map((close) => () => close(config))
