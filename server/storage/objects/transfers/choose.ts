import type { ErrorCode } from '../../../../contract/errors.ts'
import { type HeldBucket, quotaExceeded, roomOf } from '../../buckets/service.ts'
import { isKept } from '../../history/retire.ts'
import { type ItemError, itemError } from '../item-error.ts'
import type * as store from '../store.ts'

export type TransferKind = 'copy' | 'move'

/** An object to transfer: its key in the source bucket, and its destination key. */
export interface Pair {
  key: string
  dest: string
}
/** A pair that can be transferred, and the object. */
export interface Accepted {
  pair: Pair
  row: store.ObjectRow
}
export interface TransferPlan {
  kind: TransferKind
  source: HeldBucket
  dest: HeldBucket
}

/** Decides for each pair, in order, whether it can be transferred along with those before it. */
export function choose(
  { kind, source, dest }: TransferPlan,
  pairs: readonly Pair[],
  there: {
    sources: ReadonlyMap<string, store.ObjectRow>
    taken: ReadonlyMap<string, store.ObjectRow>
    ifNoneMatch: boolean
    /** Whether a copy onto its own key makes another version: of an earlier one, or with a lock of its own. */
    remakes: boolean
  },
) {
  const { sources, taken, ifNoneMatch, remakes } = there
  const accepted: Accepted[] = []
  const replaced: store.ObjectRow[] = []
  const refused: ItemError[] = []
  const same = source.id === dest.id
  const leaving = new Set(kind === 'move' && same ? sources.keys() : [])
  const left = new Set<string>()
  const filled = new Set<string>()
  let own = 0
  let total = 0
  for (const pair of pairs) {
    const refuse = (code: ErrorCode, detail: string) => void refused.push({ key: pair.key, code, detail })
    const row = sources.get(pair.key)
    const old = left.has(pair.dest) ? undefined : taken.get(pair.dest)
    if (!row) {
      refuse('not_found', `There is no object "${pair.key}" in bucket "${source.name}".`)
      continue
    }
    if (same && pair.key === pair.dest && !remakes) {
      refuse('conflict', 'The object is already at this key.')
      continue
    }
    if (filled.has(pair.dest) || (leaving.has(pair.dest) && !left.has(pair.dest))) {
      refuse('conflict', `Another object in this request has, or will have, the key "${pair.dest}".`)
      continue
    }
    if (old && ifNoneMatch) {
      refuse('precondition_failed', `The key "${pair.dest}" is taken.`)
      continue
    }
    const freed = old && !isKept(dest, old) ? old.size : 0
    const leaves = kind === 'move' && !isKept(source, row)
    const ownGrowth = (leaves && same ? 0 : row.size) - freed
    const totalGrowth = (leaves ? 0 : row.size) - freed
    if (exceeds(dest.room, own, ownGrowth) || exceeds(dest.totalRoom, total, totalGrowth)) {
      const room = Math.max(0, (roomOf(dest, kind === 'move' ? row.size : 0) ?? 0) - Math.max(own, total))
      refused.push(itemError(pair.key, quotaExceeded(dest.name, room, row.size)))
      continue
    }
    own += ownGrowth
    total += totalGrowth
    filled.add(pair.dest)
    if (kind === 'move' && same) left.add(pair.key)
    if (old) replaced.push(old)
    accepted.push({ pair, row })
  }
  return { accepted, replaced, refused }
}

const exceeds = (room: number | null, used: number, growth: number): boolean =>
  room !== null && growth > 0 && used + growth > room
