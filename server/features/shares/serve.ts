import { ServiceError } from '../../../contract/errors.ts'
import type { ShareInfo, ShareListing } from '../../../contract/shares.ts'
import type { ByteRange } from '../../base/byte-range.ts'
import { decodeCursor, encodeCursor } from '../../base/cursor.ts'
import type { Ctx } from '../../context.ts'
import type { Delivery } from '../../http/delivery.ts'
import { findBucket } from '../../storage/buckets/store.ts'
import { confirm } from '../../storage/external/confirm.ts'
import { type Archive, archiveOf, folderName, namedObjects, rangedObjects } from '../../storage/objects/archive.ts'
import { type Contents, contentsOf } from '../../storage/objects/read.ts'
import { findKeys } from '../../storage/objects/search.ts'
import { findObject, findObjects } from '../../storage/objects/store.ts'
import { noteBucket } from '../../storage/traffic/traffic.ts'
import type { UploadLimits } from './describe.ts'
import { findLink, gone, isOpen, type OpenLink, openRanges } from './open.ts'
import { checkPassword, type Presented } from './password.ts'
import { assertLeft, spend } from './spend.ts'
import { isTicket } from './ticket.ts'

export interface OpenQuery {
  archive?: '1' | undefined
  cursor?: string | undefined
  limit?: number | undefined
  info?: '1' | undefined
  key?: string | undefined
}

/** What a link returns: its description, its listing, one object, or everything as an archive. */
export type Opened =
  | { kind: 'info'; body: ShareInfo }
  | { kind: 'listing'; body: ShareListing }
  | SharedObject
  | SharedArchive

const objectGone = () => new ServiceError('not_found', 'What this link points to no longer exists.')

/** Opens a link for a visitor: the object, or the listing of a folder or selection. */
export async function openShare(ctx: Ctx, token: string, query: OpenQuery, presented: Presented): Promise<Opened> {
  if (query.key !== undefined) return openEntry(ctx, token, query.key, presented)
  const link = await findLink(ctx, token)
  noteBucket(ctx, link.row.bucket)
  if (query.info === '1') return { kind: 'info', body: await describeLink(ctx, link, presented) }
  await checkPassword(ctx, link, presented)
  const { kind, target } = link.row
  if (kind === 'object') return openObject(ctx, link, target)
  if (kind === 'upload') return { kind: 'info', body: await describeLink(ctx, link, presented) }
  if (query.archive === '1') return openArchive(ctx, link)
  return { kind: 'listing', body: await list(ctx, link, query) }
}

/** Opens one object of a folder (by its name within it) or selection (by its key). */
export async function openEntry(ctx: Ctx, token: string, name: string, presented: Presented): Promise<SharedObject> {
  const link = await findLink(ctx, token)
  noteBucket(ctx, link.row.bucket)
  await checkPassword(ctx, link, presented)
  const { kind, target } = link.row
  const key = kind === 'folder' ? target + name : name
  const inside = kind === 'folder' || (kind === 'selection' && (JSON.parse(target) as string[]).includes(key))
  if (!inside) throw objectGone()
  return openObject(ctx, link, key)
}

/** An object opened through a link. Whoever answers a GET with it calls one of its functions before the first byte. */
export interface SharedObject {
  kind: 'object'
  share_id: string
  bucket: string
  contents: Contents
  /** The link's settings for saving the file. */
  filename: string | undefined
  disposition: 'inline' | 'attachment' | undefined
  /** The actor reading it, for the audit log. */
  reader: Ctx
  /** Spends a download: of an image derived from the object, or of its own bytes, with the range sent, if any. */
  spend(of: 'image' | { range?: ByteRange | undefined }): Promise<((delivery: Delivery) => void) | undefined>
  /** For a response without contents: throws `gone` if the link is used up. */
  assertLeft(of: 'image' | 'contents'): Promise<void>
}

async function openObject(ctx: Ctx, link: OpenLink, key: string): Promise<SharedObject> {
  const { row } = link
  if (!isOpen(openRanges(link, 'read', key), key)) throw gone()
  const found = await findObject(ctx.db, row.bucket, key)
  if (found?.bucket_id !== row.bucket_id) throw objectGone()
  const object = await confirm(ctx, found, { opens: true })
  if (!object) throw objectGone()
  return {
    kind: 'object',
    share_id: row.id,
    bucket: row.bucket,
    contents: contentsOf(ctx, object),
    filename: row.kind === 'object' ? (row.filename ?? undefined) : undefined,
    disposition: row.disposition ?? undefined,
    reader: visitor(ctx),
    spend: (of) => spend(ctx, link, of === 'image' ? { key } : { key, object, part: of.range }),
    assertLeft: (of) => assertLeft(ctx, link, of === 'image' ? { key } : { key, object }),
  }
}

const visitor = (ctx: Ctx): Ctx => ctx.as({ ...ctx.actor, auth_method: 'share_link' })

/** The bucket the link was created in; a bucket created later under the same name is another one. */
async function bucketIdOf(ctx: Ctx, { row }: OpenLink): Promise<string> {
  const bucket = await findBucket(ctx.db, row.bucket)
  if (!bucket || bucket.id !== row.bucket_id) throw objectGone()
  return bucket.id
}

const keysOf = ({ row }: OpenLink) => (JSON.parse(row.target) as string[]).toSorted()

/** A page of a folder's or selection's objects that the link's creator may still read. */
async function list(ctx: Ctx, link: OpenLink, { cursor, limit = 100 }: OpenQuery): Promise<ShareListing> {
  const bucketId = await bucketIdOf(ctx, link)
  const { target } = link.row
  const kind = link.row.kind === 'folder' ? 'folder' : 'selection'
  const prefix = kind === 'folder' ? target : ''
  const ranges = openRanges(link, 'read', prefix)
  if (ranges.length === 0) throw gone()
  const [after] = decodeCursor(cursor, 1) ?? []
  let keys: string[]
  let next: string | null = null
  if (kind === 'folder') {
    const found = await findKeys(ctx.db, bucketId, ranges, { prefix, search: null, after, limit })
    keys = found.keys
    next = found.next
  } else {
    const left = keysOf(link).filter((key) => isOpen(ranges, key) && (after === undefined || key > after))
    keys = left.slice(0, limit)
    next = left.length > limit ? (keys.at(-1) ?? null) : null
  }
  const rows = new Map((await findObjects(ctx.db, bucketId, keys)).map((row) => [row.key, row]))
  return {
    kind,
    name: nameOf(link),
    items: keys.flatMap((key) => {
      const row = rows.get(key)
      if (!row) return []
      const { size, content_type, last_modified } = row
      return [{ name: key.slice(prefix.length), size, content_type, last_modified }]
    }),
    next_cursor: next === null ? null : encodeCursor([next]),
  }
}

/** Everything a link opens, as an archive. */
export interface SharedArchive {
  kind: 'archive'
  share_id: string
  bucket: string
  archive: Archive
  reader: Ctx
  /** Spends a download, before the first byte. */
  spend(): Promise<unknown>
}

async function openArchive(ctx: Ctx, link: OpenLink): Promise<SharedArchive> {
  const bucket_id = await bucketIdOf(ctx, link)
  const { id: share_id, kind, target, bucket } = link.row
  const below = kind === 'folder' ? target : ''
  const ranges = openRanges(link, 'read', below)
  if (ranges.length === 0) throw gone()
  const rows =
    kind === 'folder'
      ? rangedObjects(ctx, bucket_id, ranges)
      : namedObjects(
          ctx,
          bucket_id,
          keysOf(link).filter((key) => isOpen(ranges, key)),
        )
  return {
    kind: 'archive',
    share_id,
    bucket,
    archive: archiveOf(ctx, rows, { name: nameOf(link), bucket_id, below }),
    reader: visitor(ctx),
    spend: () => spend(ctx, link, { key: null }),
  }
}

function nameOf({ row }: OpenLink): string {
  if (row.filename !== null) return row.filename
  return (row.kind === 'selection' ? undefined : folderName(row.target)) ?? row.bucket
}

/** Whether the link opens anything: not once it is used up, or its creator has lost access to its target. */
function opensAnything(link: OpenLink): boolean {
  const { kind, target, max_downloads, downloads } = link.row
  if (max_downloads !== null && downloads >= max_downloads) return false
  if (kind === 'object') return isOpen(openRanges(link, 'read', target), target)
  return openRanges(link, kind === 'upload' ? 'write' : 'read', kind === 'selection' ? '' : target).length > 0
}

/** What a link's page shows before it is opened; with a password, no names without a ticket. */
async function describeLink(ctx: Ctx, link: OpenLink, { ticket }: Presented): Promise<ShareInfo> {
  if (!opensAnything(link)) throw gone()
  const { row } = link
  const limits = JSON.parse(row.limits) as UploadLimits
  const needs_password = row.password_hash !== null
  const hidden = needs_password && !isTicket(ctx, row, ticket)
  const object = hidden || row.kind !== 'object' ? undefined : await findObject(ctx.db, row.bucket, row.target)
  const same = object?.bucket_id === row.bucket_id
  return {
    kind: row.kind,
    needs_password,
    name: hidden ? null : nameOf(link),
    size: (same ? object?.size : null) ?? null,
    content_type: (same ? object?.content_type : null) ?? null,
    expires_at: row.expires_at,
    limited: row.max_downloads !== null,
    downloads_left: hidden || row.max_downloads === null ? null : row.max_downloads - row.downloads,
    max_file_bytes: limits.max_file_bytes ?? null,
    max_total_bytes: limits.max_total_bytes ?? null,
    max_files: limits.max_files ?? null,
    content_types: limits.content_types ?? null,
  }
}
