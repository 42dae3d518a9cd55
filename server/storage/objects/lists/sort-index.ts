import { sql } from 'kysely'
import { afterKey, afterPrefix, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import { takingTurns } from '../../../base/turns.ts'
import type { Db } from '../../../db/schema.ts'
import { hasKeyIn, type ObjectRow } from '../store.ts'
import { type Slice, toEntry, type Walk } from './store.ts'

// What a folder holds, by size or time, from two indexes whose order begins with the folder: an object's place among the
// others is found without reading them. Folders are found as the parents of what is in them.

/** A folder, and the ranges of its keys that are to be seen. */
export interface Folder extends Walk {
  prefix: string
  ranges: readonly KeyRange[]
}
export type Column = 'size' | 'last_modified'
/** An object's place in a sorted list. */
export interface Place {
  value: string | number
  key: string
}

/** The text that the indexes have for it: an object's key up to the last slash. */
export const parentOf = (key: string) => sql<string>`rtrim(${sql.ref(key)}, replace(${sql.ref(key)}, '/', ''))`
const PARENT = parentOf('key')

/** Entries that one statement steps over: on SQLite it blocks the process. */
const STEP = 8000
const MOST_FOLDERS = 500

/** The objects directly in a folder, after a place. */
function directly(db: Db, { bucketId, prefix, ranges, order }: Folder, column: Column, after: Place | undefined) {
  const parent = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  const inFolder = db.selectFrom('objects').where('bucket_id', '=', bucketId).where(PARENT, '=', parent)
  // Without the condition on the key that says the same again: PostgreSQL takes the two for independent, expects a
  // handful of rows in a large folder, and sorts all of them instead of reading the index in its order.
  const query = ranges.some((one) => isWhole(one, parent)) ? inFolder : inFolder.where(isInOneOf(ranges))
  if (!after) return query
  return query.where((e) =>
    e(e.refTuple(column, 'key'), order === 'asc' ? '>' : '<', e.tuple(after.value as never, after.key)),
  )
}

/** Whether a range has every key of a folder. */
function isWhole({ from, to }: KeyRange, parent: string): boolean {
  const end = afterPrefix(parent)
  return compareKeys(from, parent) <= 0 && (to === null || (end !== null && compareKeys(to, end) >= 0))
}

function isInOneOf(ranges: readonly KeyRange[]) {
  const [first, ...more] = ranges
  if (!first) return sql<boolean>`1 = 0`
  if (more.length === 0) return sql<boolean>`key >= ${first.from} and (${isBefore('key', first.to)})`
  const rows = ranges.map(({ from, to }) => sql`(cast(${from} as text), cast(${to} as text))`)
  return sql<boolean>`exists (
    select 1 from (values ${sql.join(rows)}) as r
    where key >= r.column1 and (r.column2 is null or key < r.column2)
  )`
}
const isBefore = (column: string, to: string | null) => (to === null ? sql`1 = 1` : sql`${sql.ref(column)} < ${to}`)

/** A page of the objects directly in a folder, by size or time and then key. */
export async function listSorted(
  db: Db,
  folder: Folder,
  { column, after, offset, limit }: Slice & { column: Column; after?: Place | undefined },
): Promise<ObjectRow[]> {
  const { bucketId, order } = folder
  const turn = takingTurns()
  let skip = offset
  let from = after
  for (; skip >= STEP; skip -= STEP) {
    from = await placeAfterStep(db, folder, column, from)
    if (!from) return []
    await turn()
  }
  // Only the page's own rows are read: the places before it are stepped over in the index.
  const keys = directly(db, folder, column, from)
    .select('key')
    .orderBy(column, order)
    .orderBy('key', order)
    .offset(skip)
    .limit(limit)
  return db
    .selectFrom(keys.as('page'))
    .innerJoin('objects', (join) => join.onRef('objects.key', '=', 'page.key').on('objects.bucket_id', '=', bucketId))
    .selectAll('objects')
    .orderBy(`objects.${column}`, order)
    .orderBy('objects.key', order)
    .execute()
}

/** The last place of the next STEP ones after a place, if there are so many. */
async function placeAfterStep(
  db: Db,
  folder: Folder,
  column: Column,
  after: Place | undefined,
): Promise<Place | undefined> {
  const { order } = folder
  const [last] = await directly(db, folder, column, after)
    .select([`${column} as value`, 'key'])
    .orderBy(column, order)
    .orderBy('key', order)
    .offset(STEP - 1)
    .limit(1)
    .execute()
  return last
}

/** How many objects are directly in a folder: one step of an index for each. */
export async function countDirectly(db: Db, folder: Folder): Promise<number> {
  const turn = takingTurns()
  const walk: Folder = { ...folder, order: 'asc' }
  for (let count = 0, after: Place | undefined; ; count += STEP) {
    const last = await placeAfterStep(db, walk, 'size', after)
    if (!last) {
      const rest = directly(db, walk, 'size', after).select((e) => e.fn.countAll().as('n'))
      return count + Number((await rest.executeTakeFirst())?.n ?? 0)
    }
    after = last
    await turn()
  }
}

/** At most `limit` folders directly in a folder, in the order of their names. Costs a seek for each. */
export async function listFolders(db: Db, folder: Folder, limit: number): Promise<string[]> {
  const { bucketId, depth, order, ranges } = folder
  const found: string[] = []
  const add = (name: string) => found.at(-1) === name || found.push(name)
  for (const range of order === 'asc' ? ranges : ranges.toReversed()) {
    const { first, whole, last } = bordersOf(range, depth)
    const addPart = async (part: Part | undefined) => {
      if (part && found.length < limit && (await hasKeyIn(db, bucketId, part.inside))) add(part.name)
    }
    await addPart(order === 'asc' ? first : last)
    if (whole) for (const name of await wholeFolders(db, folder, whole, limit - found.length)) add(name)
    await addPart(order === 'asc' ? last : first)
    if (found.length >= limit) break
  }
  return found
}

/** A folder of whose keys a range has only some. */
interface Part {
  name: string
  inside: KeyRange
}

/** The folders that a range begins and ends within, and the range between them. */
function bordersOf(
  range: KeyRange,
  depth: number,
): { first?: Part | undefined; whole?: KeyRange | undefined; last?: Part | undefined } {
  const at = (key: string | null) => {
    if (key === null) return undefined
    const { name, is_folder } = toEntry(key, depth)
    return is_folder && name !== key ? name : undefined
  }
  const [low, high] = [at(range.from), at(range.to)]
  if (low !== undefined && low === high) return { first: { name: low, inside: range } }
  const end = low === undefined ? range.from : afterPrefix(low)
  return {
    first: low === undefined ? undefined : { name: low, inside: { from: range.from, to: end } },
    last: high === undefined ? undefined : { name: high, inside: { from: high, to: range.to } },
    whole: end === null ? undefined : { from: end, to: high ?? range.to },
  }
}

/** The folders all of whose keys are in a range. */
async function wholeFolders(db: Db, folder: Folder, range: KeyRange, limit: number): Promise<string[]> {
  const { depth, order } = folder
  const turn = takingTurns()
  const names: string[] = []
  for (let rest: KeyRange = range; names.length < limit; ) {
    const most = Math.min(MOST_FOLDERS, limit - names.length)
    const parents = await stepOver(db, folder, rest, most)
    for (const parent of parents) names.push(toEntry(parent, depth).name)
    const last = names.at(-1)
    if (parents.length < most || last === undefined) break
    const from = order === 'asc' ? afterPrefix(last) : rest.from
    if (from === null) break
    rest = { from, to: order === 'asc' ? range.to : last }
    await turn()
  }
  return names
}

/** One parent from each of the next folders. */
async function stepOver(db: Db, { bucketId, prefix, depth, order }: Folder, { from, to }: KeyRange, limit: number) {
  const asc = order === 'asc'
  const parent = parentOf('o.key')
  // What is directly in the folder has the folder itself for a parent.
  const inside = afterKey(prefix)
  const least = sql`${parent} >= ${compareKeys(from, inside) > 0 ? from : inside}`
  const most = to === null ? sql`1 = 1` : sql`${parent} < ${to}`
  const name = sql`substr(g.parent, 1, ${depth} + instr(substr(g.parent, ${depth} + 1), '/')`
  // '0' is the byte after the folder's slash.
  const further = asc ? sql`${parent} >= ${name} - 1) || '0'` : sql`${parent} < ${name})`
  // One bound on each side: SQLite seeks by the first and reads from there to where the others hold.
  const seek = (low: typeof least, high: typeof most) => sql`
    select ${parent} from objects o where o.bucket_id = ${bucketId} and ${low} and ${high}
    order by ${parent} ${sql.raw(order)} limit 1`
  const { rows } = await sql<{ parent: string }>`
    with recursive g(parent, n) as (
      select * from (select (${seek(least, most)}), 1) as first_one
      union all
      select (${asc ? seek(further, most) : seek(least, further)}), g.n + 1
      from g where g.parent is not null and g.n < ${sql.lit(limit)}
    )
    select parent from g where parent is not null order by n`.execute(db)
  return rows.map((row) => row.parent)
}
