// What a fork and its origin have made of keys since the fork, or since they were last merged.
import { ServiceError } from '../../../contract/errors.ts'
import type { Db, ObjectRow, Row } from '../../db/schema.ts'
import { BEGINNING } from '../buckets/store.ts'
import { asOf } from '../history/former/as-of.ts'
import { findSnapshot } from '../history/former/store.ts'
import { haveSameBytes } from '../objects/object-state.ts'
import * as store from './store.ts'

/** A whole fork and its origin, and since when each is compared, in microseconds since 1970. */
export interface Pair {
  forkId: string
  originId: string
  /** The moment when the fork had just begun. */
  begun: number
  /** The moment at which it took its origin, and of what prefix. */
  since: number
  prefix: string
}

/** How a fork and its origin are compared. Throws conflict for a bucket that is no fork, or not whole yet. */
export async function pairOf(db: Db, { id, name }: { id: string; name: string }): Promise<Pair> {
  const fork = await store.findFork(db, id)
  const beginning = fork && (await findSnapshot(db, id, { name: BEGINNING }))
  if (!beginning) throw new ServiceError('conflict', `The bucket "${name}" is no fork, or not filled yet.`)
  const { origin_id, origin_moment, prefix } = fork
  return { forkId: id, originId: origin_id, begun: Number(beginning.moment), since: Number(origin_moment), prefix }
}

/** A key as it was when the fork began, and as it is in both; null: no object. */
export interface Compared {
  key: string
  before: ObjectRow | null
  fork: Row<'objects'> | null
  origin: Row<'objects'> | null
  /** Which of them have changed it since, or since it was merged. */
  byFork: boolean
  byOrigin: boolean
  /** Whether it is the same in both. */
  same: boolean
}

/** What a merge takes: what only the fork has changed. */
export const isTaken = ({ byFork, byOrigin, same }: Compared): boolean => byFork && !byOrigin && !same
/** What somebody has to decide. */
export const isConflict = ({ byFork, byOrigin, same }: Compared): boolean => byFork && byOrigin && !same

/** What describes contents. A fork takes neither locks nor ACLs, so they are not compared. */
const DESCRIPTION = ['content_type', 'headers', 'metadata', 'tags', 'storage_class'] as const

/** Contents that are encrypted otherwise are the same. */
const isAlike = (a: ObjectRow | null, b: ObjectRow | null): boolean =>
  a && b ? haveSameBytes(a, b) && DESCRIPTION.every((name) => a[name] === b[name]) : a === b

const momentOf = (row: Row<'objects'> | null): number => Number(row?.moment ?? 0)

/** Compares keys, in their order. */
export async function compareKeys(
  db: Db,
  { forkId, originId, begun }: Pair,
  keys: readonly string[],
): Promise<Compared[]> {
  const before = byKey(await store.findObjects(asOf(db, { bucketId: forkId, moment: begun }), forkId, keys))
  const fork = byKey(await store.findObjects(db, forkId, keys))
  const origin = byKey(await store.findObjects(db, originId, keys))
  const merged = byKey(await store.findMerged(db, forkId, keys))
  return keys.map((key) => {
    const three = { before: before.get(key) ?? null, fork: fork.get(key) ?? null, origin: origin.get(key) ?? null }
    return { key, ...three, ...judge(three, merged.get(key)) }
  })
}

function judge(
  { before, fork, origin }: Pick<Compared, 'before' | 'fork' | 'origin'>,
  merged: store.MergedRow | undefined,
): Pick<Compared, 'byFork' | 'byOrigin' | 'same'> {
  const same = isAlike(fork, origin)
  if (!merged) return { byFork: !isAlike(fork, before), byOrigin: !isAlike(origin, before), same }
  return {
    byFork: momentOf(fork) !== Number(merged.fork_moment),
    byOrigin: merged.origin_moment === null || momentOf(origin) !== Number(merged.origin_moment),
    same,
  }
}

const byKey = <R extends { key: string }>(rows: readonly R[]): Map<string, R> =>
  new Map(rows.map((row) => [row.key, row]))
