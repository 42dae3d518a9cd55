import { compareKeys } from '../../../../contract/permissions.ts'
import { badCursor, countOf, decodeCursor, encodeCursor, timeOf } from '../../../base/cursor.ts'
import type { Ctx } from '../../../context.ts'
import { type Listing, remaining } from './pages.ts'
import { sortedObjects } from './sort.ts'
import { type Column, type Folder, listFolders, type Place } from './sort-index.ts'

/** The columns of the orders that have one. */
export const columns = { size: 'size', modified: 'last_modified' } as const
interface SortedPage {
  column: Column
  cursor: string | undefined
  offset: number | undefined
  limit: number
}

/** Folders first, by name, then the objects by size or time. */
export const bySort = (ctx: Ctx, folder: Folder, { cursor, offset, ...page }: SortedPage): Promise<Listing> =>
  offset === undefined ? bySortAfter(ctx, folder, { cursor, ...page }) : bySortFrom(ctx, folder, { offset, ...page })

/** Continues after the last entry. Reads no more of the folder than the page. */
async function bySortAfter(
  ctx: Ctx,
  folder: Folder,
  { column, cursor, limit }: Omit<SortedPage, 'offset'>,
): Promise<Listing> {
  const { seen, lastFolder, after } = placeOf(cursor, column)
  const { ranges } = folder
  const ahead = { ...folder, ranges: remaining(ranges, folder, lastFolder).sort((a, b) => compareKeys(a.from, b.from)) }
  const names = after ? [] : await listFolders(ctx.db, ahead, limit + 1)
  const folders = names.slice(0, limit)
  const room = limit - folders.length
  const rows =
    names.length > limit
      ? []
      : await (await sortedObjects(ctx.db, folder, column)).page({ after, offset: 0, limit: room + 1 })
  const objects = rows.slice(0, room)
  const count = seen + folders.length + objects.length
  const more = names.length > limit || rows.length > room
  return {
    folders,
    objects,
    next: more ? cursorAfter({ folders, objects, column }, count) : null,
    total: more ? count + 1 : count,
    exact: !more,
    totalFolders: null,
  }
}

/** The cursor after a page, until which `seen` entries were shown. */
function cursorAfter(
  { folders, objects, column }: Pick<Listing, 'folders' | 'objects'> & { column: Column },
  seen: number,
): string {
  const last = objects.at(-1)
  const place = last ? ['object', String(last[column]), last.key] : ['folder', folders.at(-1) ?? '', '']
  return encodeCursor([...place, String(seen)])
}

/** Where a page by size or time begins: after a folder, or after an object. */
function placeOf(cursor: string | undefined, column: Column): { seen: number; lastFolder?: string; after?: Place } {
  const [kind, value = '', key = '', seenText = ''] = decodeCursor(cursor, 4) ?? []
  if (kind === undefined) return { seen: 0 }
  const seen = countOf(seenText)
  if (kind === 'folder') return { seen, lastFolder: value }
  if (kind !== 'object') throw badCursor()
  return { seen, after: { value: column === 'size' ? countOf(value) : timeOf(value), key } }
}

/** Jumps to the entry at `offset`. Counts all of the folder. */
async function bySortFrom(
  ctx: Ctx,
  folder: Folder,
  { column, offset, limit }: Omit<SortedPage, 'cursor'> & { offset: number },
): Promise<Listing> {
  const all = await listFolders(ctx.db, folder, Number.POSITIVE_INFINITY)
  const sorted = await sortedObjects(ctx.db, folder, column)
  const total = all.length + (await sorted.count())
  const folders = all.slice(offset, offset + limit)
  const skip = Math.max(0, offset - all.length)
  const room = Math.min(limit - folders.length, total - all.length - skip)
  const objects = room > 0 ? await sorted.page({ offset: skip, limit: room }) : []
  const shown = folders.length + objects.length
  const seen = offset + shown
  const next = seen < total && shown > 0 ? cursorAfter({ folders, objects, column }, seen) : null
  return { folders, objects, next, total, exact: true, totalFolders: all.length }
}
