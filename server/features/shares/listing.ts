import { ServiceError } from '../../../contract/errors.ts'
import type { ShareListing } from '../../../contract/shares.ts'
import { shownType } from '../../base/media-type.ts'
import type { Ctx } from '../../context.ts'
import { findBucket } from '../../storage/buckets/store.ts'
import { folderName } from '../../storage/objects/archive/archive.ts'
import { sumRange } from '../../storage/objects/lists/count.ts'
import { entriesOf } from '../../storage/objects/lists/entries.ts'
import { findKeys } from '../../storage/objects/lists/search.ts'
import type { ListedRow } from '../../storage/objects/lists/store.ts'
import { openCursor, sealCursor } from '../../storage/objects/query/cursor.ts'
import { findObjects, type ObjectRow } from '../../storage/objects/store.ts'
import { isOpen, type OpenLink, openRanges, rangesOf } from './open.ts'

/** Most objects that are counted for a link's page. */
const MOST_COUNTED = 10_000

/** Which part of a link's listing is asked for. */
export interface Page {
  /** Only what is directly in this folder of a shared folder; otherwise everything below. */
  folder?: string | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

export const objectGone = () => new ServiceError('not_found', 'What this link points to no longer exists.')

/** The bucket the link was created in; a bucket created later under the same name is another one. */
export async function bucketIdOf(ctx: Ctx, { row }: OpenLink): Promise<string> {
  const bucket = await findBucket(ctx.db, row.bucket)
  if (!bucket || bucket.id !== row.bucket_id) throw objectGone()
  return bucket.id
}

/** The keys of a selection, in order. */
export const keysOf = ({ row }: OpenLink) => (JSON.parse(row.target) as string[]).toSorted()

/** What a link is called where it is opened. */
export function nameOf({ row }: OpenLink): string {
  if (row.filename !== null) return row.filename
  return (row.kind === 'selection' ? undefined : folderName(row.target)) ?? row.bucket
}

/** A page of a folder's or selection's objects that the link's creator may still read. */
export async function list(ctx: Ctx, link: OpenLink, page: Page): Promise<ShareListing> {
  const bucketId = await bucketIdOf(ctx, link)
  if (link.row.kind !== 'folder') return listSelection(ctx, link, bucketId, page)
  return page.folder === undefined ? listAll(ctx, link, bucketId, page) : listFolder(ctx, link, bucketId, page)
}

async function listAll(ctx: Ctx, link: OpenLink, bucketId: string, { cursor, limit = 100 }: Page) {
  const prefix = link.row.target
  const ranges = rangesOf(link, prefix)
  const [after] = openCursor(ctx.config, cursor, 1) ?? []
  const { keys, next } = await findKeys(ctx.db, bucketId, ranges, { prefix, search: null, after, limit })
  const open = keys.filter((key) => isOpen(ranges, key))
  return listingOf(ctx, link, { items: itemsOf(await findInOrder(ctx, bucketId, open), prefix), next })
}

/** The objects and folders directly in a folder, in the order of their names. */
async function listFolder(ctx: Ctx, link: OpenLink, bucketId: string, { folder = '', cursor, limit = 100 }: Page) {
  const { target } = link.row
  const prefix = target + folder
  const ranges = rangesOf(link, prefix)
  const [after = ''] = openCursor(ctx.config, cursor, 1) ?? []
  const { entries, more } = await entriesOf(ctx.db, { bucketId, ranges }, { prefix, delimiter: '/', after, limit })
  const last = entries.at(-1)
  return listingOf(ctx, link, {
    items: itemsOf(
      entries.flatMap(({ row }) => (row && isOpen(ranges, row.key) ? [row] : [])),
      target,
    ),
    // Of a folder in which the link opens nothing, the name is not shown either.
    folders: entries.flatMap((entry) =>
      entry.row || openRanges(link, 'read', entry.prefix).length === 0 ? [] : entry.prefix.slice(target.length),
    ),
    next: more ? (last?.row?.key ?? last?.prefix ?? null) : null,
  })
}

async function listSelection(ctx: Ctx, link: OpenLink, bucketId: string, { cursor, limit = 100 }: Page) {
  const ranges = rangesOf(link, '')
  const [after] = openCursor(ctx.config, cursor, 1) ?? []
  const left = keysOf(link).filter((key) => isOpen(ranges, key) && (after === undefined || key > after))
  const keys = left.slice(0, limit)
  const next = left.length > limit ? (keys.at(-1) ?? null) : null
  return listingOf(ctx, link, { items: itemsOf(await findInOrder(ctx, bucketId, keys), ''), next })
}

/** How many files a folder or selection has and their bytes, as far as they are counted. */
export async function countContents(ctx: Ctx, link: OpenLink) {
  const bucketId = await bucketIdOf(ctx, link)
  if (link.row.kind === 'selection') {
    const ranges = rangesOf(link, '')
    const keys = keysOf(link).filter((key) => isOpen(ranges, key))
    const rows = await findObjects(ctx.db, bucketId, keys)
    return { files: rows.length, bytes: rows.reduce((sum, { size }) => sum + size, 0), exact: true }
  }
  let [files, bytes, left] = [0, 0, MOST_COUNTED]
  for (const range of rangesOf(link, link.row.target)) {
    // How many of them the link does not open is not known without looking at each.
    if (range.only) return { files, bytes, exact: false }
    const { seen, ...counted } = await sumRange(ctx.db, bucketId, range, left)
    files += counted.files
    bytes += counted.bytes
    left -= seen
    if (left <= 0) return { files, bytes, exact: false }
  }
  return { files, bytes, exact: true }
}

async function findInOrder(ctx: Ctx, bucketId: string, keys: readonly string[]): Promise<ObjectRow[]> {
  const rows = new Map((await findObjects(ctx.db, bucketId, keys)).map((row) => [row.key, row]))
  return keys.flatMap((key) => rows.get(key) ?? [])
}

const itemsOf = (rows: readonly ListedRow[], prefix: string): ShareListing['items'] =>
  rows.map(({ key, size, content_type, last_modified }) => ({
    name: key.slice(prefix.length),
    size,
    content_type: shownType({ key, content_type }),
    last_modified,
  }))

/** A page, whose cursor tells nothing: it can end at a key that the link does not open. */
const listingOf = (
  { config }: Ctx,
  link: OpenLink,
  { items, folders = [], next }: Pick<ShareListing, 'items'> & { folders?: string[]; next: string | null },
): ShareListing => ({
  kind: link.row.kind === 'folder' ? 'folder' : 'selection',
  name: nameOf(link),
  items,
  folders,
  next_cursor: next === null ? null : sealCursor(config, [next]),
})
