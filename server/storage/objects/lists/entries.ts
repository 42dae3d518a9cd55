import { afterKey, afterPrefix, compareKeys, type KeyRange } from '../../../../contract/permissions.ts'
import type { Ctx } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import { openListing } from './browse.ts'
import * as lists from './store.ts'

/** An object, or the common prefix of all keys that begin with it. */
export type ListedEntry = { row: lists.ListedRow; prefix?: undefined } | { prefix: string; row?: undefined }

export interface EntryQuery {
  prefix: string
  /** Any text; '' lists every key. */
  delimiter: string
  /** Only entries whose name comes after this text. */
  after: string
  limit: number
}

/**
 * A bucket's entries in key order: objects, and in place of those whose keys have the delimiter after the prefix, each
 * common prefix once. Keys that the caller may not list are left out; throws `forbidden` if they may list none below the
 * prefix. `more` says whether others follow. Costs entries, not keys: what is below a common prefix is stepped over.
 */
export async function listEntries(
  ctx: Ctx,
  bucket: string,
  { prefix, delimiter, after, limit }: EntryQuery,
): Promise<{ entries: ListedEntry[]; more: boolean }> {
  const { bucketId, ranges } = await openListing(ctx, bucket, prefix)
  return entriesOf(ctx.db, { bucketId, ranges }, { prefix, delimiter, after, limit })
}

/** Like `listEntries`, of ranges under the prefix whose access was already checked. */
export async function entriesOf(
  db: Db,
  { bucketId, ranges }: { bucketId: string; ranges: readonly KeyRange[] },
  { prefix, delimiter, after, limit }: EntryQuery,
): Promise<{ entries: ListedEntry[]; more: boolean }> {
  if (limit === 0) return { entries: [], more: false }
  const walk: lists.Walk = { bucketId, depth: [...prefix].length, order: 'asc', delimiter }
  const start = startAfter(after, prefix, walk)
  if (start === null) return { entries: [], more: false }
  const found: ListedEntry[] = []
  for (const range of ranges) {
    const rest = restOf(range, start)
    if (!rest) continue
    // Two ranges can lead into one common prefix.
    for (const entry of await entriesIn(db, walk, rest, limit + 1 - found.length))
      if (entry.row || entry.prefix !== found.at(-1)?.prefix) found.push(entry)
    if (found.length > limit) break
  }
  return { entries: found.slice(0, limit), more: found.length > limit }
}

/** The first key that may be listed after a name: a common prefix that it is, or leads into, is passed as a whole. */
export function startAfter(after: string, prefix: string, walk: lists.Walk): string | null {
  if (after === '') return ''
  if (walk.delimiter === '' || !after.startsWith(prefix)) return afterKey(after)
  const { name, is_folder } = lists.toEntry(after, walk.depth, walk.delimiter)
  return is_folder ? afterPrefix(name) : afterKey(after)
}

export function restOf({ from, to }: KeyRange, start: string): KeyRange | undefined {
  const first = compareKeys(start, from) > 0 ? start : from
  return to === null || compareKeys(first, to) < 0 ? { from: first, to } : undefined
}

async function entriesIn(db: Db, walk: lists.Walk, range: KeyRange, limit: number): Promise<ListedEntry[]> {
  const asEntries = (rows: readonly lists.ListedRow[]) => rows.map((row): ListedEntry => ({ row }))
  if (walk.delimiter === '') return asEntries(await lists.listListed(db, walk.bucketId, range, limit))
  const { rows: leading, isAll } = await lists.leadingListed(db, walk, range, limit)
  const last = leading.at(-1)
  const rest = last ? restOf(range, afterKey(last.key)) : range
  if (isAll || leading.length >= limit || !rest) return asEntries(leading)
  const names = await lists.walkEntries(db, walk, rest, limit - leading.length)
  const keys = names.filter((one) => !one.is_folder).map(({ name }) => name)
  const rows = new Map((await lists.findListedObjects(db, walk.bucketId, keys)).map((row) => [row.key, row]))
  const entries = names.flatMap(({ name, is_folder }): ListedEntry[] => {
    if (is_folder) return [{ prefix: name }]
    const row = rows.get(name)
    return row ? [{ row }] : []
  })
  return [...asEntries(leading), ...entries]
}
