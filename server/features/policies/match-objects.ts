import { setImmediate as nextTurn } from 'node:timers/promises'
import { ServiceError } from '../../../contract/errors.ts'
import { afterKey, afterPrefix } from '../../../contract/permissions.ts'
import { takingTurns } from '../../base/turns.ts'
import type { Db } from '../../db/schema.ts'
import * as itemStore from './items.ts'
import { type Match, type Moment, nothingExcluded, PAGE, type Step } from './match-step.ts'
import { conditionsAt, folderOf, isNewer, type Rule } from './rule.ts'

/** Most objects held back at a time for keep_newest: the number kept times the folders on the current path. */
const MOST_HELD = 200_000

/** The objects of a bucket that a rule matches at a moment, in key order. */
export async function* matchObjects(
  db: Db,
  { id: bucket_id, name: bucket }: { id: string; name: string },
  rule: Rule,
  { cutoff, day }: Moment,
): AsyncGenerator<Step> {
  const { unlike, early } = conditionsAt(rule, cutoff, day)
  const moment = cutoff.toISOString()
  const newest = rule.keep_newest === null ? null : keepNewest<Match>(rule.keep_newest)
  const to = afterPrefix(rule.prefix)
  const turn = takingTurns()
  for (let from = rule.prefix; ; ) {
    const rows = await itemStore.listCandidates(db, bucket_id, { from, to }, PAGE)
    const step: Step = { matches: [], examined: 0, excluded: nothingExcluded() }
    for (const row of rows) {
      await turn()
      if (row.last_modified > moment) continue
      step.examined++
      const { tags: _only, ...rest } = row
      const seen = { ...rest, version_seq: null }
      const other = unlike(row)
      const surplus = other !== null ? undefined : newest ? newest.add({ ...seen, bucket_id, bucket }) : seen
      const kept = other ?? (surplus ? early(surplus) : 'keep_newest')
      if (kept !== null) step.excluded[kept]++
      else if (surplus) step.matches.push({ ...surplus, bucket_id, bucket })
    }
    yield step
    const last = rows.at(-1)
    if (rows.length < PAGE || !last) return
    // No key contains NUL, so this is the smallest key that can follow.
    from = afterKey(last.key)
    await nextTurn()
  }
}

/**
 * Takes objects in key order and returns those with at least `count` newer ones in their folder; objects never returned
 * are kept. A folder's keys are contiguous, so a folder is complete when a key outside it arrives: only the folders on
 * the current key's path are held.
 */
export function keepNewest<T extends { key: string; size: number; last_modified: string }>(count: number) {
  const folders: { name: string; held: T[] }[] = []
  let holding = 0
  return {
    add(one: T): T | undefined {
      const name = folderOf(one.key)
      let top = folders.at(-1)
      while (top && !one.key.startsWith(top.name)) {
        holding -= top.held.length
        folders.pop()
        top = folders.at(-1)
      }
      if (top?.name !== name) {
        top = { name, held: [] }
        folders.push(top)
      }
      const { held } = top
      // Oldest first.
      let low = 0
      let high = held.length
      while (low < high) {
        const middle = (low + high) >> 1
        if (isNewer(one, held[middle] as T)) low = middle + 1
        else high = middle
      }
      held.splice(low, 0, one)
      if (held.length > count) return held.shift()
      if (++holding > MOST_HELD)
        throw new ServiceError(
          'limit_reached',
          `keep_newest would have to compare more than ${MOST_HELD} objects in nested folders.`,
        )
      return undefined
    },
  }
}
