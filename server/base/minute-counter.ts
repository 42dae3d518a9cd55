import { MINUTE_MS } from './time.ts'

const MOST_KEYS = 10_000

/**
 * Counts per key and minute, in this process alone. Keeps a flood from filling a log or a table, where an exact limit
 * over all replicas would cost every caller a query. Forgets everything when it holds too many keys.
 */
export function countPerMinute(limit: number) {
  const counts = new Map<string, { minute: number; count: number }>()
  /** Counts one call; returns the seconds until the next minute if this one is over the limit, else 0. */
  return (key: string, now: Date): number => {
    const minute = Math.floor(now.getTime() / MINUTE_MS)
    const seen = counts.get(key)
    const count = (seen?.minute === minute ? seen.count : 0) + 1
    if (counts.size >= MOST_KEYS && !seen) counts.clear()
    counts.set(key, { minute, count })
    return count > limit ? 60 - Math.floor((now.getTime() % MINUTE_MS) / 1000) : 0
  }
}
