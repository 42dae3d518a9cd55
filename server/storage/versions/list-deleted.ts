import { afterKey, afterPrefix, type KeyRange } from '../../../contract/permissions.ts'
import type { DeletedEntry } from '../../../contract/versions.ts'
import { decodeCursor, encodeCursor } from '../../base/cursor.ts'
import type { Ctx } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { findNewest } from '../history/store.ts'
import { openListing } from '../objects/lists/browse.ts'
import { restOf, startAfter } from '../objects/lists/entries.ts'
import { type Entry, type Walk, walkEntries } from '../objects/lists/store.ts'
import { findObjects, hasKeyIn } from '../objects/store.ts'

/** Entries looked at in a request, so that a folder of which little is deleted takes no longer. */
const MOST_SCANNED = 5000

interface DeletedQuery {
  prefix?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/**
 * What is deleted directly in a folder: keys whose latest version is a delete marker. And the folders below that have
 * versions, in which there may be more. Costs the entries of the folder that have versions, not what is below them.
 */
export async function listDeleted(ctx: Ctx, bucket: string, { prefix = '', limit = 100, cursor }: DeletedQuery) {
  const { bucketId, ranges } = await openListing(ctx, bucket, prefix)
  const walk: Walk = { bucketId, depth: [...prefix].length, order: 'asc', table: 'versions', delimiter: '/' }
  const [last = ''] = decodeCursor(cursor, 1) ?? []
  const items: DeletedEntry[] = []
  let place = last
  for (let scanned = 0; scanned < MOST_SCANNED && items.length < limit; ) {
    const entries = await entriesAfter(ctx.db, { walk, ranges, prefix, place }, limit - items.length)
    items.push(...(await deletedAmong(ctx.db, bucketId, entries)))
    place = entries.at(-1)?.name ?? place
    scanned += entries.length
    if (entries.length === 0) return { items, next_cursor: null }
  }
  return { items, next_cursor: encodeCursor([place]) }
}

/** The next entries after a name, in the ranges. */
async function entriesAfter(
  db: Db,
  { walk, ranges, prefix, place }: { walk: Walk; ranges: readonly KeyRange[]; prefix: string; place: string },
  limit: number,
): Promise<Entry[]> {
  const start = startAfter(place, prefix, walk)
  if (start === null) return []
  for (const range of ranges) {
    const rest = restOf(range, start)
    const entries = rest ? await walkEntries(db, walk, rest, limit) : []
    if (entries.length > 0) return entries
  }
  return []
}

async function deletedAmong(db: Db, bucketId: string, entries: readonly Entry[]): Promise<DeletedEntry[]> {
  const keys = entries.filter(({ is_folder }) => !is_folder).map(({ name }) => name)
  const [objects, newest] = await Promise.all([findObjects(db, bucketId, keys), findNewest(db, bucketId, keys)])
  const there = new Set(objects.map(({ key }) => key))
  const markers = new Map(newest.filter(({ blob_id }) => blob_id === null).map((row) => [row.key, row]))
  const found = await Promise.all(
    entries.map(async ({ name, is_folder }): Promise<DeletedEntry | undefined> => {
      const none = { version_id: null, deleted_at: null, deleted_by: null }
      if (is_folder) {
        const gone = !(await hasKeyIn(db, bucketId, { from: name, to: afterPrefix(name) ?? afterKey(name) }))
        return { name, folder: true, gone, ...none }
      }
      const marker = there.has(name) ? undefined : markers.get(name)
      if (!marker) return undefined
      const { version_id, last_modified, created_by } = marker
      const deleted = { version_id: version_id ?? 'null', deleted_at: last_modified, deleted_by: created_by }
      return { name, folder: false, gone: true, ...deleted }
    }),
  )
  return found.flatMap((entry) => entry ?? [])
}
