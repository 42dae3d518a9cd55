import { ServiceError } from '../../../../contract/errors.ts'
import { afterKey } from '../../../../contract/permissions.ts'
import { findPointed } from '../../../blobs/pointers.ts'
import { allow, allowSomewhere, type Ctx } from '../../../context.ts'
import { permits, type Reach } from '../../../iam/decide.ts'
import { bucketMissing } from '../../buckets/service.ts'
import { findBucket } from '../../buckets/store.ts'
import { confirm } from '../../external-objects/confirm.ts'
import { contentsOf } from '../read.ts'
import * as store from '../store.ts'
import { type ZipEntry, zipOf } from './zip.ts'

const PAGE = 500

/** A zip created while it is read: stored, not compressed, ZIP64 where needed. */
export interface Archive {
  /** File name without `.zip`. */
  name: string
  bucket_id: string
  /** `onRead` is called for each object whose bytes were read. */
  open(onRead: (row: store.ObjectRow) => void): AsyncIterable<Uint8Array>
}

/**
 * The objects under a prefix, or with these keys, as a zip. Objects the caller may not read are left out; throws
 * `forbidden` without the right to read any of it.
 */
export async function archive(
  ctx: Ctx,
  name: string,
  { prefix = '', keys }: { prefix?: string | undefined; keys?: readonly string[] | undefined },
): Promise<Archive> {
  const ranges = keys ? [] : allowSomewhere(ctx.actor, 'read', name, prefix)
  const readable = keys?.filter((key) => permits(ctx.actor, 'read', name, key)) ?? []
  if (keys && readable.length === 0) allow(ctx.actor, 'read', name, keys[0])
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  const rows = keys ? namedObjects(ctx, bucket.id, readable) : rangedObjects(ctx, bucket.id, ranges)
  return archiveOf(ctx, rows, { name: folderName(prefix) ?? name, bucket_id: bucket.id, below: keys ? '' : prefix })
}

/** Like `archive`, for objects whose access was already checked; entry names are relative to the folder `below`. */
export const archiveOf = (
  ctx: Ctx,
  rows: AsyncIterable<store.ObjectRow>,
  { below, ...named }: Pick<Archive, 'name' | 'bucket_id'> & { below: string },
): Archive => ({
  ...named,
  open: (onRead) => zipOf(entriesOf(ctx, noting(rows, onRead), below.lastIndexOf('/', below.length - 2) + 1)),
})

/** Passes objects through; each has been read when the next is requested. */
async function* noting(rows: AsyncIterable<store.ObjectRow>, onRead: (row: store.ObjectRow) => void) {
  for await (const row of rows) {
    yield row
    onRead(row)
  }
}

/** Objects with these keys, a page at a time. */
export async function* namedObjects(ctx: Ctx, bucketId: string, keys: readonly string[]) {
  for (let i = 0; i < keys.length; i += PAGE) yield* await store.findObjects(ctx.db, bucketId, keys.slice(i, i + PAGE))
}

/** Objects in these ranges in key order, a page at a time. */
export async function* rangedObjects(ctx: Ctx, bucketId: string, ranges: readonly Reach[]) {
  for (const range of ranges)
    for (let { from } = range; ; ) {
      const page = await store.listRange(ctx.db, bucketId, { from, to: range.to }, PAGE)
      yield* range.only ? page.filter(({ key }) => range.only?.(key)) : page
      const last = page.at(-1)
      if (!last || page.length < PAGE) break
      from = afterKey(last.key)
    }
}

/** A prefix's last folder; undefined if it has none. */
export const folderName = (prefix: string): string | undefined =>
  prefix.split('/').findLast((segment) => segment !== '')

/** Whether an object of the past has lost its contents since. */
const isErased = async ({ past }: Ctx, { blob_id }: store.ObjectRow): Promise<boolean> =>
  past !== null && !(await findPointed(past.present, [blob_id])).has(blob_id)

/** An object as its storage has it now; undefined if it is gone there, or cannot be read. */
const readableNow = (ctx: Ctx, row: store.ObjectRow): Promise<store.ObjectRow | undefined> =>
  confirm(ctx, row, { opens: true }).catch((error: unknown) => {
    if (error instanceof ServiceError && (error.code === 'archived' || error.code === 'conflict')) return undefined
    throw error
  })

const nothing = async () => new Uint8Array()

/** Each object as an entry; a folder's marker becomes the folder. */
async function* entriesOf(ctx: Ctx, rows: AsyncIterable<store.ObjectRow>, base: number): AsyncGenerator<ZipEntry> {
  const taken = new Set<string>()
  for await (const row of rows) {
    if (await isErased(ctx, row)) {
      // Left out, it would look as if it had not been there.
      const name = entryName(`${row.key.slice(base)}.erased`, taken)
      yield { name, size: 0, modified: new Date(row.last_modified), open: nothing }
      continue
    }
    const now = await readableNow(ctx, row)
    if (!now) continue
    const { key, size, last_modified } = now
    const name = key.slice(base)
    const { open } = contentsOf(ctx, now)
    const modified = new Date(last_modified)
    if (size > 0 || !name.endsWith('/')) yield { name: entryName(name, taken), size, modified, open }
    else {
      const known = taken.size
      const folder = folderEntry(segmentsOf(name), taken)
      if (taken.size > known) yield { name: folder, size, modified, open }
    }
  }
}

/**
 * Turns a key into a path that unpacks below the target folder on every system: no `..`, no empty segments, no
 * backslash, no duplicates, and no file where another key has a folder, or vice versa.
 */
export function entryName(key: string, taken: Set<string>): string {
  const segments = segmentsOf(key)
  const last = (key.endsWith('/') ? undefined : segments.pop()) ?? '_'
  const folder = folderEntry(segments, taken)
  const [, stem = last, extension = ''] = /^(.+)(\.[^.]*)$/s.exec(last) ?? []
  let name = folder + last
  for (let n = 2; taken.has(name) || taken.has(`${name}/`); n++) name = `${folder}${stem} (${n})${extension}`
  taken.add(name)
  return name
}

function segmentsOf(key: string): string[] {
  const segments = key
    .replaceAll('\\', '_')
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => (/^\.+$/.test(segment) ? segment.replaceAll('.', '_') : segment))
  return segments.map((segment, i) => (i === 0 ? segment.replace(/^([A-Za-z]):/, '$1_') : segment))
}

/** A folder's path with its slash; '' for none. Gets a number if a file has that path. */
function folderEntry(segments: readonly string[], taken: Set<string>): string {
  let folder = ''
  for (const segment of segments) {
    let name = folder + segment
    for (let n = 2; taken.has(name); n++) name = `${folder}${segment} (${n})`
    folder = `${name}/`
    taken.add(folder)
  }
  return folder
}
