import { afterKey, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import type { Order } from './store.ts'

/** The parts of the ranges after a key, in order. */
export const remainder = (ranges: readonly KeyRange[], after: string | undefined, order: Order): KeyRange[] =>
  (order === 'asc' ? ranges : ranges.toReversed()).flatMap(({ from, to }): KeyRange[] => {
    if (after === undefined) return [{ from, to }]
    // No key contains NUL, so this is the smallest key that can follow.
    const next = afterKey(after)
    const low = order === 'asc' && compareKeys(next, from) > 0 ? next : from
    const high = order === 'desc' && (to === null || compareKeys(after, to) < 0) ? after : to
    return high !== null && compareKeys(low, high) >= 0 ? [] : [{ from: low, to: high }]
  })
