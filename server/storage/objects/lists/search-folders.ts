import { sql } from 'kysely'
import { fold } from '../../../../contract/fold.ts'
import { afterKey, afterPrefix, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import { takingTurns } from '../../../base/turns.ts'
import type { Db } from '../../../db/schema.ts'
import { hasKeyIn } from '../store.ts'
import type { Order } from './search.ts'
import { parentOf } from './sort-index.ts'

/** Most folders that a search lists. */
const MOST_FOLDERS = 100
/** Most folders that one request looks at where the matching keys are not known, by one seek for each. */
const LOOKED_AT = 5000
const STEP = 500

interface FolderSearch {
  bucketId: string
  ranges: readonly KeyRange[]
  prefix: string
  search: string
  order: Order
  /** All keys of the ranges that contain the text, if they are known. */
  keys: readonly string[] | undefined
  /** Whether the caller may know of a key, or of a folder, in the ranges. */
  mayKnow(key: string): boolean
}

/**
 * Folders below the prefix whose own name contains the text, and of which the ranges have at least one key; the first of
 * them in key order. Takes time for the keys it looks at, not for the folders in them: a key can lie in five hundred.
 */
export async function findFolders(
  db: Db,
  { bucketId, ranges, prefix, search, order, keys, mayKnow }: FolderSearch,
): Promise<{ folders: string[]; isComplete: boolean }> {
  const wanted = fold(search)
  // No folder's own name has a slash.
  if (wanted.includes('/')) return { folders: [], isComplete: true }
  const folders: string[] = []
  const turn = takingTurns()
  let previous = ''
  /** Collects the folders that keys lie in, which come in order; returns false once there are too many. */
  const collect = async (paths: readonly string[]): Promise<boolean> => {
    for (const path of paths) {
      for (const folder of foldersNamed(path, { wanted, from: prefix.length, previous })) {
        if (!mayKnow(folder) || !(await isSeen(db, bucketId, ranges, folder))) continue
        if (folders.length === MOST_FOLDERS) return false
        folders.push(folder)
      }
      previous = path
      await turn()
    }
    return true
  }
  const isComplete = await (keys
    ? collect(ascending(keys).filter(mayKnow))
    : lookAround(db, { bucketId, ranges }, collect))
  return { folders: order === 'asc' ? folders : folders.reverse(), isComplete }
}

/** The keys of a list that is in order, from the first on. */
const ascending = (keys: readonly string[]): readonly string[] =>
  compareKeys(keys[0] ?? '', keys.at(-1) ?? '') > 0 ? keys.toReversed() : keys

/**
 * The folders that a key lies in and the key before it does not, whose own name after a place in the key contains the
 * folded text: where the text is found, the next slash ends the name. Folding moves no letter.
 */
function* foldersNamed(
  key: string,
  { wanted, from, previous }: { wanted: string; from: number; previous: string },
): Generator<string> {
  let common = 0
  while (common < previous.length && key[common] === previous[common]) common++
  const folded = fold(key)
  let start = Math.max(from, key.slice(0, common).lastIndexOf('/') + 1)
  for (let at = folded.indexOf(wanted, start); at >= 0; at = folded.indexOf(wanted, start)) {
    const end = key.indexOf('/', at)
    if (end < 0) return
    yield key.slice(0, end + 1)
    start = end + 1
  }
}

/** Looks at the folders that hold the ranges' keys, from the first on. Returns false if there are more. */
async function lookAround(
  db: Db,
  { bucketId, ranges }: Pick<FolderSearch, 'bucketId' | 'ranges'>,
  look: (paths: readonly string[]) => Promise<boolean>,
): Promise<boolean> {
  const turn = takingTurns()
  let left = LOOKED_AT
  for (const { from, to } of ranges) {
    // A range that begins inside of folders has keys of theirs, although they come before it.
    if (!(await look([from]))) return false
    for (let start = from; ; ) {
      const parents = await parentsFrom(db, bucketId, { from: start, to }, STEP)
      if (!(await look(parents))) return false
      left -= parents.length + 1
      const last = parents.at(-1)
      if (last === undefined || parents.length < STEP) break
      if (left <= 0) return false
      start = afterKey(last)
      await turn()
    }
  }
  return true
}

/** The next folders that hold objects, in order: each by one seek in an index that begins with an object's folder. */
async function parentsFrom(db: Db, bucketId: string, { from, to }: KeyRange, limit: number): Promise<string[]> {
  const parent = parentOf('o.key')
  const end = to === null ? sql`` : sql`and ${parent} < ${to}`
  const next = (start: ReturnType<typeof sql>) => sql`
    select ${parent} from objects o where o.bucket_id = ${bucketId} and ${parent} ${start} ${end}
    order by ${parent} limit 1`
  const { rows } = await sql<{ parent: string }>`
    with recursive g(parent, n) as (
      select * from (select (${next(sql`>= ${from}`)}), 1) as first_one
      union all
      select (${next(sql`> g.parent`)}), g.n + 1 from g where g.parent is not null and g.n < ${sql.lit(limit)}
    )
    select parent from g where parent is not null order by n`.execute(db)
  return rows.map((row) => row.parent)
}

/** Whether the ranges have a key of a folder. */
async function isSeen(db: Db, bucketId: string, ranges: readonly KeyRange[], folder: string): Promise<boolean> {
  const end = afterPrefix(folder)
  for (const range of ranges) {
    const from = compareKeys(range.from, folder) > 0 ? range.from : folder
    const to = range.to === null || (end !== null && compareKeys(end, range.to) < 0) ? end : range.to
    if (to !== null && compareKeys(from, to) >= 0) continue
    if (await hasKeyIn(db, bucketId, { from, to })) return true
  }
  return false
}
