/** Lets go of what is kept for the service of a configuration. */
type Close = (config: object) => Promise<void> | void
const closes: Close[] = []

/**
 * State that a process keeps for each service that runs in it (tests run several): made at the first use, told apart by
 * the service's configuration, gone with it. `close` releases what it holds when the service ends.
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

/** What is to be called when the service of a configuration ends, each by itself. */
export const closesOf = (config: object): (() => Promise<void> | void)[] => closes.map((close) => () => close(config))
