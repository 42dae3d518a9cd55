import { afterKey, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import { decodeCursor, encodeCursor } from '../../../base/cursor.ts'
import { takingTurns } from '../../../base/turns.ts'
import type { Ctx } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { openListing } from './browse.ts'

/** The most that one response counts, and one statement: on SQLite it blocks the process. */
const MOST_COUNTED = 20_000
const AT_ONCE = 4000

/**
 * How many files are among the first `most` objects of a range, and their bytes; markers of folders are none. `seen` is how
 * many objects were looked at, `last` the last of them.
 */
export async function sumRange(db: Db, bucketId: string, { from, to }: KeyRange, most: number) {
  const open = db.selectFrom('objects').where('bucket_id', '=', bucketId).where('key', '>=', from)
  const range = to === null ? open : open.where('key', '<', to)
  const row = await db
    .selectFrom(range.select(['key', 'size']).orderBy('key').limit(most).as('some'))
    .select((e) => [
      e.fn.countAll<number>().as('seen'),
      e.fn
        .count<number>('key')
        .filterWhere((w) => w.or([w('size', '>', 0), w('key', 'not like', '%/')]))
        .as('files'),
      e.fn.sum<number | null>('size').as('bytes'),
      e.fn.max<string | null>('key').as('last'),
    ])
    .executeTakeFirstOrThrow()
  return { seen: Number(row.seen), files: Number(row.files), bytes: Number(row.bytes ?? 0), last: row.last }
}

/** How many objects under a prefix the caller may list, and their bytes, up to so many at a time. */
export async function countObjects(
  ctx: Ctx,
  bucket: string,
  { prefix = '', cursor }: { prefix?: string | undefined; cursor?: string | undefined },
) {
  const { bucketId, ranges } = await openListing(ctx, bucket, prefix)
  const [after] = decodeCursor(cursor, 1) ?? []
  const turn = takingTurns()
  let [objects, bytes, left] = [0, 0, MOST_COUNTED]
  for (const range of ranges) {
    let from = after !== undefined && compareKeys(afterKey(after), range.from) > 0 ? afterKey(after) : range.from
    while (range.to === null || compareKeys(from, range.to) < 0) {
      const most = Math.min(AT_ONCE, left)
      const { seen, files, bytes: some, last } = await sumRange(ctx.db, bucketId, { from, to: range.to }, most)
      objects += files
      bytes += some
      left -= seen
      if (last === null || seen < most) break
      if (left === 0) return { objects, bytes, next_cursor: encodeCursor([last]) }
      from = afterKey(last)
      await turn()
    }
  }
  return { objects, bytes, next_cursor: null }
}

/** A folder whose objects are being counted: what was found, and where its ranges go on. */
interface Folder {
  prefix: string
  objects: number
  bytes: number
  complete: boolean
  rest: KeyRange[]
}

/**
 * How many objects the caller may list under each of some prefixes, and their bytes. At most 20,000 objects are looked at: as many
 * of each folder, and what small ones leave goes to the others.
 */
export async function sizeFolders(ctx: Ctx, bucket: string, prefixes: readonly string[]) {
  const folders: Folder[] = []
  let bucketId = ''
  for (const prefix of prefixes) {
    const listing = await openListing(ctx, bucket, prefix)
    bucketId = listing.bucketId
    folders.push({ prefix, objects: 0, bytes: 0, complete: false, rest: [...listing.ranges] })
  }
  const turn = takingTurns()
  for (let left = MOST_COUNTED; ; ) {
    const open = folders.filter(({ complete }) => !complete)
    const share = Math.min(AT_ONCE, Math.floor(left / open.length))
    if (open.length === 0 || share === 0) break
    for (const folder of open) {
      left -= await countMore(ctx.db, bucketId, folder, share)
      await turn()
    }
  }
  return { items: folders.map(({ rest: _, ...counted }) => counted) }
}

/** Counts up to so many more objects of a folder; returns how many it looked at. */
async function countMore(db: Db, bucketId: string, folder: Folder, most: number): Promise<number> {
  let seen = 0
  for (let range = folder.rest[0]; range && seen < most; range = folder.rest[0]) {
    const part = await sumRange(db, bucketId, range, most - seen)
    folder.objects += part.files
    folder.bytes += part.bytes
    if (part.last === null || part.seen < most - seen) folder.rest.shift()
    else folder.rest[0] = { from: afterKey(part.last), to: range.to }
    seen += part.seen
  }
  folder.complete = folder.rest.length === 0
  return seen
}
