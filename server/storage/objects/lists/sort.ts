import { afterKey, afterPrefix, compareKeys } from '../../../../contract/permissions.ts'
import type { Db } from '../../../db/schema.ts'
import { findObjects, listPlaces, type ObjectRow } from '../store.ts'
import { type Column, countDirectly, type Folder, listSorted, type Place } from './sort-index.ts'
import { type Slice, toEntry } from './store.ts'

/** The most keys that are read one by one: a folder with so few costs about as much as a page of it. */
const FEW = 1000
/** Each range is a statement. */
const FEW_RANGES = 16

/** The objects directly in a folder, by size or time and then key. */
interface Sorted {
  page(slice: Slice & { after?: Place | undefined }): Promise<ObjectRow[]>
  count(): Promise<number>
}

/**
 * Where the ranges hold few keys, these are read and put in order here: the index has them in their places among all
 * objects of the folder, of which there may be any number that the caller may not see, or did not ask for.
 */
export async function sortedObjects(db: Db, folder: Folder, column: Column): Promise<Sorted> {
  const few = isWhole(folder) ? undefined : await readFew(db, folder, column)
  if (!few)
    return {
      page: (slice) => listSorted(db, folder, { column, ...slice }),
      count: () => countDirectly(db, folder),
    }
  return {
    async page({ after, offset, limit }) {
      const rest = after ? few.filter((place) => comparePlaces(folder, after, place) < 0) : few
      const keys = rest.slice(offset, offset + limit).map(({ key }) => key)
      const rows = new Map((await findObjects(db, folder.bucketId, keys)).map((row) => [row.key, row]))
      return keys.flatMap((key) => rows.get(key) ?? [])
    },
    count: async () => few.length,
  }
}

/** Whether the ranges are all that is in the folder, but perhaps for its marker. */
function isWhole({ prefix, ranges }: Folder): boolean {
  const [range, ...more] = ranges
  if (!range || more.length > 0 || !(prefix === '' || prefix.endsWith('/'))) return false
  const end = afterPrefix(prefix)
  return (
    compareKeys(range.from, afterKey(prefix)) <= 0 &&
    (range.to === null || (end !== null && compareKeys(range.to, end) >= 0))
  )
}

/** The places of all objects directly in the folder, in order; undefined if there are more than a few ranges or keys. */
async function readFew(db: Db, folder: Folder, column: Column): Promise<Place[] | undefined> {
  if (folder.ranges.length > FEW_RANGES) return undefined
  const places: Place[] = []
  let read = 0
  for (const range of folder.ranges) {
    const rows = await listPlaces(db, folder.bucketId, range, FEW + 1 - read)
    read += rows.length
    if (read > FEW) return undefined
    for (const row of rows)
      if (!toEntry(row.key, folder.depth).is_folder) places.push({ key: row.key, value: row[column] })
  }
  return places.sort((a, b) => comparePlaces(folder, a, b))
}

function comparePlaces({ order }: Folder, a: Place, b: Place): number {
  const byValue = a.value < b.value ? -1 : a.value > b.value ? 1 : compareKeys(a.key, b.key)
  return order === 'asc' ? byValue : -byValue
}
