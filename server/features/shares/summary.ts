import { ServiceError } from '../../../contract/errors.ts'
import type { ShareInfo } from '../../../contract/shares.ts'
import { shownType } from '../../base/media-type.ts'
import type { Ctx } from '../../context.ts'
import { findObject } from '../../storage/objects/store.ts'
import type { UploadLimits } from './describe.ts'
import { countContents, list, nameOf, type Page } from './listing.ts'
import { findLink, gone, isOpen, type OpenLink, openRanges } from './open.ts'
import type { Presented } from './password.ts'
import * as store from './store.ts'
import { isTicket } from './ticket.ts'

/** Whether the link opens anything: not once it is used up, or its creator has lost access to its target. */
function opensAnything(link: OpenLink): boolean {
  const { kind, target, max_downloads, downloads } = link.row
  if (max_downloads !== null && downloads >= max_downloads) return false
  if (kind === 'object') return isOpen(openRanges(link, 'read', target), target)
  return openRanges(link, kind === 'upload' ? 'write' : 'read', kind === 'selection' ? '' : target).length > 0
}

/** What a link's page shows before it is opened; with a password, no names without a ticket. Throws gone. */
export async function describeLink(
  ctx: Ctx,
  link: OpenLink,
  { ticket }: Presented,
  page: Page = {},
): Promise<ShareInfo> {
  if (!opensAnything(link)) throw gone()
  const { row } = link
  const limits = JSON.parse(row.limits) as UploadLimits
  const needs_password = row.password_hash !== null
  const hidden = needs_password && !isTicket(ctx, row, ticket)
  const object = hidden || row.kind !== 'object' ? undefined : await findObject(ctx.db, row.bucket, row.target)
  const same = object?.bucket_id === row.bucket_id
  const lists = !hidden && (row.kind === 'folder' || row.kind === 'selection')
  return {
    kind: row.kind,
    needs_password,
    name: hidden ? null : nameOf(link),
    size: (same ? object?.size : null) ?? null,
    content_type: same && object ? shownType(object) : null,
    shared_by: hidden ? null : await store.nameOf(ctx.db, row.created_by),
    shared_at: row.created_at,
    message: hidden ? null : row.message,
    expires_at: row.expires_at,
    limited: row.max_downloads !== null,
    downloads_left: hidden || row.max_downloads === null ? null : row.max_downloads - row.downloads,
    max_downloads: hidden ? null : row.max_downloads,
    contents: lists ? await countContents(ctx, link) : null,
    max_file_bytes: limits.max_file_bytes ?? null,
    max_total_bytes: limits.max_total_bytes ?? null,
    max_files: limits.max_files ?? null,
    content_types: limits.content_types ?? null,
    ...(lists && page.folder !== undefined ? { listing: await list(ctx, link, page) } : {}),
  }
}

/** What anyone with a link may know of it, for those who did not open it yet; undefined if it opens nothing. */
export async function glimpse(ctx: Ctx, token: string): Promise<ShareInfo | undefined> {
  try {
    return await describeLink(ctx, await findLink(ctx, token), {})
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}
