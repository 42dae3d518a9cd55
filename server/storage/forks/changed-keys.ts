// The keys that a fork or its origin has changed since the fork, in order.
import { afterKey, compareKeys } from '../../../contract/permissions.ts'
import type { Db } from '../../db/schema.ts'
import type { Reach } from '../../iam/decide.ts'
import { asOf } from '../history/former/as-of.ts'
import { changedKeys } from '../history/former/changed-keys.ts'
import { findSince } from '../history/former/store.ts'
import type { Pair } from './compare.ts'
import * as store from './store.ts'

/** Keys of one step: on SQLite it blocks the process. */
const STEP = 2000

type Steps = AsyncGenerator<readonly string[], undefined>

/** Those in the ranges, from a key on, step by step. */
export async function* keysOfEither(db: Db, pair: Pair, ranges: readonly Reach[], from: string): Steps {
  const { forkId, originId, begun, since } = pair
  const place = { from, dense: false }
  const ofFork = keysOf(changedKeys(db, { bucketId: forkId, from: begun, to: Number.MAX_SAFE_INTEGER }, ranges, place))
  const ofOrigin = keysOf(
    changedKeys(db, { bucketId: originId, from: since, to: Number.MAX_SAFE_INTEGER }, ranges, place),
  )
  const either = merged(ofFork, ofOrigin)
  const { forgotten } = await findSince(db, originId)
  // Where it is not known any more what the origin has deleted, all that the fork began with is compared.
  if (Number(forgotten ?? 0) <= since) yield* either
  else yield* merged(either, allKeys(asOf(db, { bucketId: forkId, moment: begun }), pair, ranges, from))
}

async function* keysOf(steps: ReturnType<typeof changedKeys>): Steps {
  for await (const { keys } of steps) yield keys
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
