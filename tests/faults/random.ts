/** Numbers that are the same for the same seed. */
export interface Random {
  /** From 0 up to but not 1. */
  next(): number
  /** A whole number from `low` up to but not `high`. */
  int(low: number, high: number): number
  /** One of these; undefined if there are none. */
  pick<T>(some: readonly T[]): T | undefined
  chance(probability: number): boolean
}

/** mulberry32: small, and good enough to choose what to do next. */
export function random(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low))
  return {
    next,
    int,
    pick: (some) => some[int(0, some.length)],
    chance: (probability) => next() < probability,
  }
}
