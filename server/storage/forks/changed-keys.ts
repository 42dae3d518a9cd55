// The keys that a fork or its origin has changed since the fork, in order.
import { afterKey, afterPrefix, compareKeys } from '../../../contract/permissions.ts'
import type { Db } from '../../db/schema.ts'
import { isReached, type Reach } from '../../iam/decide.ts'
import { findBucketById } from '../buckets/store.ts'
import { asOf } from '../history/former/as-of.ts'
import { type ChangedPlace, type ChangedStep, changedKeys } from '../history/former/changed-keys.ts'
import { knownMoments } from '../history/former/past.ts'
import type { Pair } from './compare.ts'
import * as store from './store.ts'

/** Keys of one step: on SQLite it blocks the process. */
const STEP = 2000

type Steps = AsyncGenerator<readonly string[], undefined>

/** Those in the ranges, from a key on, step by step. */
export async function* keysOfEither(db: Db, pair: Pair, ranges: readonly Reach[], from: string): Steps {
  const { forkId, originId, begun, since } = pair
  const taken = ranges.flatMap((range) => within(range, pair.prefix))
  const ofOrigin = keysOf(
    changedKeys(db, { bucketId: originId, from: since, to: Number.MAX_SAFE_INTEGER }, taken, { from, dense: false }),
  )
  const either = merged(keysOfFork(db, pair, ranges, from), ofOrigin)
  const origin = await findBucketById(db, originId)
  const isKnown = origin !== undefined && (await knownMoments({ db }, origin)).from <= since
  // Where it is not known what the origin has deleted, all that the fork began with is compared.
  if (isKnown) yield* either
  else yield* merged(either, allKeys(asOf(db, { bucketId: forkId, moment: begun }), pair, ranges, from))
}

/** What of a range starts with a prefix. */
function within(range: Reach, prefix: string): Reach[] {
  const end = afterPrefix(prefix)
  const from = compareKeys(range.from, prefix) > 0 ? range.from : prefix
  const to = range.to === null || (end !== null && compareKeys(end, range.to) < 0) ? end : range.to
  return to === null || compareKeys(from, to) < 0 ? [{ ...range, from, to }] : []
}

async function* keysOf(steps: ReturnType<typeof changedKeys>): Steps {
  for await (const { keys } of steps) yield keys
}

async function* keysOfFork(db: Db, pair: Pair, ranges: readonly Reach[], from: string): Steps {
  for (let place: ChangedPlace | null = { from, dense: false }; place !== null; ) {
    const { keys, next }: ChangedStep = await nextChangedInFork(db, pair, ranges, place)
    yield keys
    place = next
  }
}

/**
 * The next keys that a fork may have changed: what its history has, and what was merged before. That the fork has deleted such a
 * key since is forgotten with its trash.
 */
export async function nextChangedInFork(
  db: Db,
  { forkId, begun }: Pair,
  ranges: readonly Reach[],
  place: ChangedPlace = { from: '', dense: false },
): Promise<ChangedStep> {
  const span = { bucketId: forkId, from: begun, to: Number.MAX_SAFE_INTEGER }
  const { value } = await changedKeys(db, span, ranges, place).next()
  const { keys, next } = value ?? { keys: [], next: null }
  const range = { from: place.from, to: next?.from ?? null }
  const before = await store.listMergedKeys(db, forkId, range, STEP + 1)
  // The rest of these comes with the next step, and so does all that is behind them.
  const cut = before[STEP]
  const isDue = (key: string) => cut === undefined || compareKeys(key, cut) < 0
  const due = [...keys, ...before.filter((key) => isReached(ranges, key))].filter(isDue)
  return {
    keys: [...new Set(due)].sort(compareKeys),
    next: cut === undefined ? next : { from: cut, dense: next?.dense ?? place.dense },
  }
}

/** All keys of a fork as `db` shows it. */
async function* allKeys(db: Db, { forkId }: Pair, ranges: readonly Reach[], from: string): Steps {
  for (const range of ranges)
    for (let next: string | null = compareKeys(from, range.from) > 0 ? from : range.from; next !== null; ) {
      const keys: string[] = await store.listKeys(
        db,
        forkId,
        { from: next, to: range.to },
        { after: null, limit: STEP },
      )
      yield range.only ? keys.filter(range.only) : keys
      const last = keys.at(-1)
      next = last === undefined || keys.length < STEP ? null : afterKey(last)
    }
}

/** The keys of two sequences, each once and in order, as each has them in order. */
async function* merged(one: Steps, other: Steps): Steps {
  let [left, right] = await Promise.all([nextOf(one), nextOf(other)])
  while (left && right) {
    const bound = least(left.at(-1), right.at(-1))
    const isDue = (key: string) => bound !== undefined && compareKeys(key, bound) <= 0
    const due = [...new Set([...left.filter(isDue), ...right.filter(isDue)])].sort(compareKeys)
    if (due.length > 0) yield due
    const rest = [left.filter((key) => !isDue(key)), right.filter((key) => !isDue(key))] as const
    left = rest[0].length > 0 ? rest[0] : await nextOf(one)
    right = rest[1].length > 0 ? rest[1] : await nextOf(other)
  }
  for (let rest = left; rest; rest = await nextOf(one)) yield rest
  for (let rest = right; rest; rest = await nextOf(other)) yield rest
}

/** The next keys, of which there is at least one; undefined at the end. */
async function nextOf(steps: Steps): Promise<readonly string[] | undefined> {
  for (;;) {
    const { value, done } = await steps.next()
    if (done) return undefined
    if (value.length > 0) return value
  }
}

const least = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || b === undefined ? undefined : compareKeys(a, b) <= 0 ? a : b
