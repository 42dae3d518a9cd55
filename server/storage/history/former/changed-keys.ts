import { afterKey, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import type { Db } from '../../../db/schema.ts'
import { isReached, type Reach } from '../../../iam/decide.ts'
import * as store from './changes-store.ts'

/** So many changes are gathered and sorted; where there are more, keys are read in their order instead. */
const FEW = 20_000
/** Keys of one step, and rows that it steps over: on SQLite it blocks the process. */
const STEP = 2000

/** Where a walk through changed keys is: at the first key to come, and whether it reads all keys in their order. */
export interface ChangedPlace {
  from: string
  dense: boolean
}
/** The keys of one step. */
export interface ChangedStep {
  keys: string[]
  /** Where the next step begins; null at the end. */
  next: ChangedPlace | null
}

/** The keys in these ranges that changed between two moments, in order, step by step from a place on; at least one step. */
export async function* changedKeys(
  db: Db,
  span: store.Span,
  ranges: readonly Reach[],
  { from, dense }: ChangedPlace = { from: '', dense: false },
): AsyncGenerator<ChangedStep, undefined> {
  const few = dense ? null : await store.findChangedKeys(db, span, FEW)
  if (few) return yield* inSteps(sorted(few, ranges).filter((key) => compareKeys(key, from) >= 0))
  const left = ranges.flatMap((range) => startingAt(range, from))
  if (left.length === 0) yield { keys: [], next: null }
  for (const [i, range] of left.entries())
    for (let rest: KeyRange = range; ; ) {
      const cut = await store.findCut(db, span.bucketId, rest, STEP)
      const keys = await store.findChangedIn(db, span, { from: rest.from, to: cut ?? rest.to })
      const following = cut ?? left[i + 1]?.from
      yield {
        keys: keys.filter((key) => isReached(ranges, key)),
        next: following === undefined ? null : { from: following, dense: true },
      }
      if (cut === null) break
      rest = { from: cut, to: range.to }
    }
}

function* inSteps(keys: readonly string[]): Generator<ChangedStep, undefined> {
  for (let i = 0; i === 0 || i < keys.length; i += STEP) {
    const following = keys[i + STEP]
    yield {
      keys: keys.slice(i, i + STEP),
      next: following === undefined ? null : { from: following, dense: false },
    }
  }
}

/** Each of these keys once that is in the ranges, in order. */
const sorted = (keys: readonly string[], ranges: readonly Reach[]): string[] =>
  [...new Set(keys)].filter((key) => isReached(ranges, key)).sort(compareKeys)

/** What of a range is not before a key. */
function startingAt({ from, to }: KeyRange, key: string): KeyRange[] {
  const start = compareKeys(key, from) > 0 ? key : from
  return to === null || compareKeys(start, to) < 0 ? [{ from: start, to }] : []
}

/** The place after a key. */
export const placeAfter = (key: string): ChangedPlace => ({ from: afterKey(key), dense: false })
