import { ServiceError } from '../../../contract/errors.ts'
import { afterKey, compareKeys, type KeyRange } from '../../../contract/permissions.ts'
import type { Version } from '../../../contract/versions.ts'
import { decodeCursor, encodeCursor } from '../../base/cursor.ts'
import { allow, type Ctx } from '../../context.ts'

import { encryptionField } from '../../encryption/describe.ts'

import { LIST_VERSIONS } from '../../iam/names-of-rights.ts'

import { namedVersion } from '../history/retire.ts'
import { type AnyVersion, findVersions, listEarlier, listVersions as listRows } from '../history/store.ts'
import { lockField } from '../locks/lock.ts'
import { openListing } from '../objects/lists/browse.ts'
import { restOf, startAfter } from '../objects/lists/entries.ts'
import { toEntry, type Walk, walkEntries } from '../objects/lists/store.ts'

/** A version in a list. */
export type ListedVersion = AnyVersion & {
  /** Whether it is its key's latest, be it an object or a delete marker. */
  latest: boolean
}
/** A version, or the common prefix of all keys that begin with it. */
export type VersionEntry = { version: ListedVersion; prefix?: undefined } | { prefix: string; version?: undefined }

/** Where a list continues: behind a key, or behind one of its versions. */
export interface VersionPlace {
  key: string
  /** Behind this one of the key's versions; null for the current one, undefined for all of them. */
  seq?: number | null | undefined
}

export interface VersionQuery {
  prefix: string
  /** Any text; '' lists every key. */
  delimiter: string
  /** '' as the key begins at the first. */
  after: VersionPlace
  limit: number
}

/**
 * Versions and delete markers, current or not, in the order of keys and of each the latest first; as with `listEntries`,
 * keys that have the delimiter after the prefix are listed as common prefixes, and keys that the caller may not list are
 * left out. Throws `forbidden` if they may list none. Costs what it lists, however many versions there are.
 */
export async function listVersions(
  ctx: Ctx,
  bucket: string,
  { prefix, delimiter, after, limit }: VersionQuery,
): Promise<{ entries: VersionEntry[]; more: boolean }> {
  const { bucketId, ranges } = await openListing(ctx, bucket, prefix, LIST_VERSIONS)
  if (limit === 0) return { entries: [], more: false }
  const walk: Walk = { bucketId, depth: [...prefix].length, order: 'asc', delimiter }
  const found: VersionEntry[] = []
  const isInside = ({ from, to }: KeyRange) =>
    compareKeys(after.key, from) >= 0 && (to === null || compareKeys(after.key, to) < 0)
  // Below a common prefix, the rest of the key's versions belongs to that.
  const isBelow = delimiter !== '' && toEntry(after.key, walk.depth, delimiter).is_folder
  const goesOn = after.seq !== undefined && !isBelow && ranges.some(isInside)
  if (goesOn) found.push(...(await restOfKey(ctx, bucketId, after, limit + 1)).map(asEntry))
  const start = goesOn ? afterKey(after.key) : startAfter(after.key, prefix, walk)
  for (const range of start === null ? [] : ranges) {
    if (found.length > limit) break
    const rest = restOf(range, start ?? '')
    if (!rest) continue
    const most = limit + 1 - found.length
    const entries =
      delimiter === ''
        ? (await versionsIn(ctx, bucketId, rest, most)).map(asEntry)
        : await entriesIn(ctx, walk, rest, most)
    // Two ranges can lead into one common prefix.
    for (const entry of entries) if (entry.version || entry.prefix !== found.at(-1)?.prefix) found.push(entry)
  }
  return { entries: found.slice(0, limit), more: found.length > limit }
}

type Reader = Pick<Ctx, 'db' | 'past'>

const asEntry = (version: ListedVersion): VersionEntry => ({ version })

/** What comes behind one of a key's versions. */
async function restOfKey(
  { db, past }: Reader,
  bucketId: string,
  { key, seq }: VersionPlace,
  limit: number,
): Promise<ListedVersion[]> {
  const before = seq ?? Number.MAX_SAFE_INTEGER
  return (await listEarlier(db, bucketId, { key, before }, { limit, at: past?.moment })).map((row) => ({
    ...row,
    latest: false,
  }))
}

/** All versions of a range of keys. */
const versionsIn = async (
  { db, past }: Reader,
  bucketId: string,
  range: KeyRange,
  limit: number,
): Promise<ListedVersion[]> =>
  (await listRows(db, bucketId, range, { limit, at: past?.moment })).map((row, i, rows) => ({
    ...row,
    latest: rows[i - 1]?.key !== row.key,
  }))

/** Versions directly in a folder, and the folders below it. */
async function entriesIn(reader: Reader, walk: Walk, range: KeyRange, limit: number): Promise<VersionEntry[]> {
  const { bucketId } = walk
  const [current, older] = await Promise.all([
    walkEntries(reader.db, walk, range, limit),
    walkEntries(reader.db, { ...walk, table: 'versions' }, range, limit),
  ])
  const isFolder = new Map([...current, ...older].map((entry) => [entry.name, entry.is_folder]))
  const names = [...isFolder.keys()].sort(compareKeys).slice(0, limit)
  const entries: VersionEntry[] = []
  let run: string[] = []
  const flush = async () => {
    const [first, last] = [run[0], run.at(-1)]
    run = []
    if (first === undefined || last === undefined) return
    const between = { from: first, to: afterKey(last) }
    entries.push(...(await versionsIn(reader, bucketId, between, limit - entries.length)).map(asEntry))
  }
  for (const name of names) {
    if (!isFolder.get(name)) {
      run.push(name)
      continue
    }
    // Between two folders there are no other keys.
    await flush()
    if (entries.length >= limit) return entries
    entries.push({ prefix: name })
  }
  await flush()
  return entries
}

/** The place behind a version that a client names. Of one that is gone, or current, all others of its key follow. */
export async function positionAfterVersion(ctx: Ctx, bucket: string, key: string, name: string): Promise<VersionPlace> {
  const [, id = name, seq] = /^(.*)\.(\d{1,15})$/s.exec(name) ?? []
  if (seq !== undefined) return { key, seq: Number(seq) }
  const { bucketId } = await openListing(ctx, bucket, key)
  const [row] = await findVersions(ctx.db, bucketId, [{ key, version_id: namedVersion(id) }])
  return { key, seq: row?.seq ?? null }
}

/** How a client may name a version to continue behind it, also once it is gone. */
export const nameOfPlace = ({ version_id, seq }: ListedVersion): string =>
  `${version_id ?? 'null'}${seq === null ? '' : `.${seq}`}`

interface PageQuery {
  key?: string | undefined
  prefix?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** A page of versions: of one key, or of all keys below a prefix. */
export async function listVersionPage(ctx: Ctx, bucket: string, { key, prefix, limit = 100, cursor }: PageQuery) {
  if (key !== undefined && prefix !== undefined)
    throw new ServiceError('invalid_request', 'Pass either key or prefix, not both.', {
      faults: [{ path: 'query.prefix', message: 'cannot be combined with key' }],
    })
  const after = placeOf(cursor)
  const { entries, more } =
    key === undefined
      ? await listVersions(ctx, bucket, { prefix: prefix ?? '', delimiter: '', after: after ?? { key: '' }, limit })
      : await ofKey(ctx, bucket, { key, after, limit })
  const versions = entries.flatMap(({ version }) => version ?? [])
  const last = more ? versions.at(-1) : undefined
  return {
    items: versions.map((version): Version => describe(bucket, version)),
    next_cursor: last ? encodeCursor([last.key, last.seq === null ? '' : String(last.seq)]) : null,
  }
}

async function ofKey(
  ctx: Ctx,
  bucket: string,
  { key, after, limit }: { key: string; after: VersionPlace | undefined; limit: number },
): Promise<{ entries: VersionEntry[]; more: boolean }> {
  allow(ctx.actor, LIST_VERSIONS, bucket, key)
  const { bucketId } = await openListing(ctx, bucket, key, LIST_VERSIONS)
  const found = after
    ? await restOfKey(ctx, bucketId, { ...after, key }, limit + 1)
    : await versionsIn(ctx, bucketId, { from: key, to: afterKey(key) }, limit + 1)
  return { entries: found.slice(0, limit).map(asEntry), more: found.length > limit }
}

function placeOf(cursor: string | undefined): VersionPlace | undefined {
  const [key, seq] = decodeCursor(cursor, 2) ?? []
  if (key === undefined || seq === undefined) return undefined
  if (!/^\d{0,15}$/.test(seq)) throw new ServiceError('invalid_request', 'The cursor is not one of this list.')
  return { key, seq: seq === '' ? null : Number(seq) }
}

const describe = (bucket: string, version: ListedVersion): Version => ({
  bucket,
  key: version.key,
  version_id: version.version_id ?? 'null',
  latest: version.latest,
  marker: version.blob_id === null,
  size: version.size,
  etag: version.blob_id === null ? null : version.etag,
  content_type: version.blob_id === null ? null : version.content_type,
  last_modified: version.last_modified,
  created_by: version.created_by,
  noncurrent_at: version.blob_id === null ? null : version.noncurrent_at,
  ...encryptionField(version),
  ...lockField(version),
})
