import type { ShareInfo, ShareListing } from '../../../contract/shares.ts'
import type { ByteRange } from '../../base/byte-range.ts'
import type { Ctx } from '../../context.ts'
import type { Delivery } from '../../http/delivery.ts'
import { confirm } from '../../storage/external-objects/confirm.ts'
import { type Contents, contentsOf } from '../../storage/objects/read.ts'
import { findObject } from '../../storage/objects/store.ts'
import { noteBucket } from '../../storage/usage/traffic.ts'
import { openArchive, type SharedArchive } from './archive.ts'
import { list, objectGone, type Page } from './listing.ts'
import { noteSeen } from './notice.ts'
import { findLink, gone, isOpen, type OpenLink, openRanges, visitorOf } from './open.ts'
import { checkPassword, type Presented } from './password.ts'
import { assertLeft, spend } from './spend.ts'
import { describeLink } from './summary.ts'

export interface OpenQuery extends Page {
  archive?: '1' | undefined
  info?: '1' | undefined
  key?: string | undefined
}

/** What a link returns: its description, its listing, one object, or everything as an archive. */
export type Opened =
  | { kind: 'info'; body: ShareInfo }
  | { kind: 'listing'; body: ShareListing }
  | SharedObject
  | SharedArchive

/** Opens a link for a visitor: the object, or the listing of a folder or selection. */
export async function openShare(ctx: Ctx, token: string, query: OpenQuery, presented: Presented): Promise<Opened> {
  if (query.key !== undefined) return openEntry(ctx, token, query.key, presented)
  const link = await findLink(ctx, token)
  noteBucket(ctx, link.row.bucket)
  if (query.info === '1') {
    const body = await describeLink(ctx, link, presented, query)
    if (body.name !== null && presented.early !== true) noteSeen(ctx, link)
    return { kind: 'info', body }
  }
  await checkPassword(ctx, link, presented)
  const { kind, target } = link.row
  if (kind === 'object') return openObject(ctx, link, target)
  if (query.archive === '1' && kind !== 'upload') return openArchive(ctx, link)
  const opened: Opened =
    kind === 'upload'
      ? { kind: 'info', body: await describeLink(ctx, link, presented) }
      : { kind: 'listing', body: await list(ctx, link, query) }
  noteSeen(ctx, link)
  return opened
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

/** What a response sends of an object. */
export interface Sent {
  image?: boolean
  range?: ByteRange | undefined
  preview: boolean
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
  /**
   * Spends a download: of an image derived from the object, or of its own bytes, with the range sent, if any. Where
   * downloads are not limited, a preview on the link's page is recorded as such.
   */
  spend(of: Sent): Promise<((delivery: Delivery) => void) | undefined>
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
  const reader = visitorOf(ctx, link)
  return {
    kind: 'object',
    share_id: row.id,
    bucket: row.bucket,
    contents: contentsOf(reader, object),
    filename: row.kind === 'object' ? (row.filename ?? undefined) : undefined,
    disposition: row.disposition ?? undefined,
    reader,
    spend: ({ image = false, range, preview }) =>
      spend(ctx, link, { key, preview, ...(image ? {} : { object, part: range }) }),
    assertLeft: (of) => assertLeft(ctx, link, of === 'image' ? { key } : { key, object }),
  }
}
