import { sql } from 'kysely'
import { afterKey, afterPrefix, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import { takingTurns } from '../../../base/turns.ts'
import type { Db } from '../../../db/schema.ts'
import { hasKeyIn } from '../store.ts'
import { fold, type Order } from './search.ts'
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
}

/** Folders below the prefix whose own name contains the text, and of which the ranges have at least one key. */
export async function findFolders(
  db: Db,
  { bucketId, ranges, prefix, search, order, keys }: FolderSearch,
): Promise<{ folders: string[]; isComplete: boolean }> {
  const wanted = fold(search)
  const found = new Map<string, boolean>()
  /** Collects the folders that a key lies in. */
  const look = (key: string) => {
    for (let at = key.indexOf('/', prefix.length); at >= 0; at = key.indexOf('/', at + 1)) {
      const folder = key.slice(0, at + 1)
      if (found.has(folder)) continue
      const name = folder.slice(Math.max(prefix.length, folder.lastIndexOf('/', at - 1) + 1), at)
      found.set(folder, fold(name).includes(wanted))
    }
  }
  keys?.forEach(look)
  const isComplete = keys !== undefined || (await lookAround(db, { bucketId, ranges }, look))
  const named = [...found].flatMap(([folder, isNamed]) => (isNamed ? [folder] : [])).sort(compareKeys)
  const folders: string[] = []
  for (const folder of named) {
    if (folders.length > MOST_FOLDERS) break
    if (await isSeen(db, bucketId, ranges, folder)) folders.push(folder)
  }
  const shown = folders.slice(0, MOST_FOLDERS)
  return {
    folders: order === 'asc' ? shown : shown.reverse(),
    isComplete: isComplete && folders.length <= MOST_FOLDERS,
  }
}

/** Looks at the folders that hold the ranges' keys, from the first on. Returns false if there are more. */
async function lookAround(
  db: Db,
  { bucketId, ranges }: Pick<FolderSearch, 'bucketId' | 'ranges'>,
  look: (key: string) => void,
): Promise<boolean> {
  const turn = takingTurns()
  let left = LOOKED_AT
  for (const { from, to } of ranges) {
    // A range that begins inside of folders has keys of theirs, although they come before it.
    look(from)
    for (let start = from; ; ) {
      const parents = await parentsFrom(db, bucketId, { from: start, to }, STEP)
      parents.forEach(look)
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
