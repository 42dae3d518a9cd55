import { ServiceError } from '../../../contract/errors.ts'
import type { NewShare, Share } from '../../../contract/shares.ts'
import type { Ctx } from '../../context.ts'
import { isShareOwner } from './owner.ts'
import type { ShareRow } from './store.ts'

/** Limits on files uploaded through a link. */
export interface UploadLimits {
  max_file_bytes?: number | undefined
  max_total_bytes?: number | undefined
  max_files?: number | undefined
  content_types?: readonly string[] | undefined
}
export const shareMissing = () => new ServiceError('not_found', 'There is no such link.')

/** Where a link is opened: by programs, and by people. */
export const urlsOf = ({ config }: Ctx, token: string): Pick<NewShare, 'token' | 'url' | 'page_url'> => ({
  token,
  url: `${config.publicBaseUrl}/public/s/${token}`,
  page_url: `${config.publicBaseUrl}/s/${token}`,
})

function stateOf(ctx: Ctx, { revoked_at, expires_at, max_downloads, downloads }: ShareRow): Share['state'] {
  if (revoked_at !== null) return 'revoked'
  if (expires_at !== null && Date.parse(expires_at) <= ctx.now().getTime()) return 'expired'
  return max_downloads !== null && downloads >= max_downloads ? 'spent' : 'active'
}

/** A link as the API shows it to the caller. */
export function describe(
  ctx: Ctx,
  row: ShareRow,
  email: string | null,
  use = { count: 0, last_at: null as string | null },
): Share {
  const limits = JSON.parse(row.limits) as UploadLimits
  return {
    id: row.id,
    kind: row.kind,
    bucket: row.bucket,
    object_key: row.kind === 'object' ? row.target : null,
    prefix: row.kind === 'folder' || row.kind === 'upload' ? row.target : null,
    keys: row.kind === 'selection' ? JSON.parse(row.target) : null,
    expires_at: row.expires_at,
    has_password: row.password_hash !== null,
    has_link: row.sealed_token !== null && isShareOwner(ctx, row),
    max_downloads: row.max_downloads,
    filename: row.filename,
    disposition: row.disposition,
    message: row.message,
    notify: row.notify === 1,
    max_file_bytes: limits.max_file_bytes ?? null,
    max_total_bytes: limits.max_total_bytes ?? null,
    max_files: limits.max_files ?? null,
    content_types: limits.content_types ? [...limits.content_types] : null,
    created_at: row.created_at,
    created_by: row.created_by,
    created_by_email: email,
    revoked_at: row.revoked_at,
    state: stateOf(ctx, row),
    access_count: use.count,
    received_bytes: row.received_bytes,
    last_accessed_at: use.last_at,
  }
}
