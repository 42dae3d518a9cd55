import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterKey, afterPrefix, type KeyRange } from '../../../contract/permissions.ts'
import { reachesVersions } from '../../../contract/reach.ts'
import { takingTurns } from '../../base/turns.ts'
import type { Db } from '../../db/schema.ts'
import { findPlaces, listEarlier, listRetired, type RowPlace, type VersionRow } from '../../storage/history/store.ts'
import { judgeLocks } from '../../storage/locks/clock.ts'
import { lockOn } from '../../storage/locks/gate.ts'
import { type Excluded, type Moment, nothingExcluded, PAGE, type Step } from './match-step.ts'
import { conditionsAt, type Rule } from './rule.ts'

/**
 * The versions of a bucket that a rule matches at a moment: those that are not current, if it says anything about them,
 * and delete markers of which nothing else is left, if it deletes them. In key order, of each key the latest first;
 * what is as it is only since after that moment is skipped. Memory holds one page.
 */
export async function* matchVersions(
  db: Db,
  { id: bucket_id, name: bucket }: { id: string; name: string },
  rule: Rule,
  { cutoff, day }: Moment,
): AsyncGenerator<Step> {
  const { unlike, early, isRecent } = conditionsAt(rule, cutoff, day)
  const moment = cutoff.toISOString()
  const surplus = keepLatest(rule.keep_versions ?? 0)
  const endings = await judgeLocks(db, cutoff)
  const turn = takingTurns()
  const keptBy = (row: VersionRow, since: string | null): keyof Excluded | null => {
    const isMarker = row.blob_id === null
    const other = unlike(isMarker ? { ...row, size: null } : row)
    if (other !== null) return other
    if (since === null) return early(row)
    if (!surplus(row)) return 'keep_versions'
    if (isRecent(since)) return 'noncurrent_days'
    return lockOn(row, endings) ? 'locked' : null
  }
  for await (const rows of pagesOf(db, bucket_id, { from: rule.prefix, to: afterPrefix(rule.prefix) })) {
    const markers = rows.filter(({ blob_id }) => blob_id === null)
    const places = await findPlaces(
      db,
      markers.map(({ seq }) => seq),
    )
    const step: Step = { matches: [], examined: 0, excluded: nothingExcluded() }
    for (const row of rows) {
      await turn()
      const place = row.blob_id === null ? places.get(row.seq) : { covered_at: row.noncurrent_at, alone: false }
      // A row that is gone by now has no place.
      if (!place || !isInScope(rule, place) || (place.covered_at ?? row.last_modified) > moment) continue
      step.examined++
      const isNeeded = place.covered_at === null && !place.alone
      const kept = isNeeded ? 'expired_markers' : keptBy(row, place.covered_at)
      if (kept !== null) step.excluded[kept]++
      else {
        const { seq, key, version_id, size, etag, blob_id, last_modified } = row
        const version = { version_seq: seq, version_id, blob_id: blob_id ?? '' }
        step.matches.push({ bucket_id, bucket, key, size, etag, last_modified, ...version })
      }
    }
    yield step
    await nextTurn()
  }
}

/** Whether a rule is about a version in this place: one that is not current, or a marker that is its key's latest. */
const isInScope = (rule: Rule, { covered_at }: RowPlace): boolean =>
  covered_at === null ? rule.expired_markers : reachesVersions(rule)

async function* pagesOf(db: Db, bucketId: string, { from, to }: KeyRange): AsyncGenerator<VersionRow[]> {
  for (let last: VersionRow | undefined; ; ) {
    const rest = last ? await listEarlier(db, bucketId, { key: last.key, before: last.seq }, { limit: PAGE }) : []
    const next = { from: last ? afterKey(last.key) : from, to }
    const more = rest.length < PAGE ? await listRetired(db, bucketId, next, PAGE - rest.length) : []
    const rows = [...rest, ...more]
    yield rows
    last = rows.at(-1)
    if (rows.length < PAGE) return
  }
}

/** Takes versions of keys, of each the latest first; tells of each whether `count` with contents came before it. */
function keepLatest(count: number): (row: VersionRow) => boolean {
  let key: string | undefined
  let held = 0
  return (row) => {
    if (row.key !== key) held = 0
    key = row.key
    if (held >= count) return true
    if (row.blob_id !== null) held++
    return false
  }
}
