import { ServiceError } from '../../../contract/errors.ts'
import { asksForImage, type ImageQuery } from '../../../contract/images.ts'
import { actorOnBehalf } from '../../access/sessions/service.ts'
import { invalid } from '../../base/invalid.ts'
import { secondsOf } from '../../base/time.ts'
import { type Actor, allow, type Ctx } from '../../context.ts'
import { readClaims, signClaims } from '../../secrets/sign.ts'
import { noteBucket } from '../usage/traffic.ts'

const PURPOSE = 'presigned-url'
const MOST_SECONDS = 7 * 24 * 3600

/** What a URL is signed for. */
export interface Claims {
  method: 'GET' | 'PUT'
  bucket: string
  key: string
  /** Who signed it, and with which token, if any: the URL stops working when either does. */
  user: string
  token: string | null
  /** Expiry in milliseconds since the epoch. */
  until: number
  /** The version to read, as it is called; the current one without it. */
  version_id?: string | undefined
  download?: boolean | undefined
  filename?: string | undefined
  /** May be shown in a frame of our own pages. */
  embed?: boolean | undefined
  /** Served as this image. */
  image?: ImageQuery | undefined
  content_type?: string | undefined
  max_bytes?: number | undefined
}

/** Creates a URL for one method on one key; needs the right for it, which is checked again at every use. */
export function presign(
  ctx: Ctx,
  bucket: string,
  body: {
    key: string
    method?: 'GET' | 'PUT' | undefined
    version_id?: string | undefined
    expires_in?: string | number | undefined
    download?: boolean | undefined
    filename?: string | undefined
    embed?: boolean | undefined
    image?: ImageQuery | undefined
    content_type?: string | undefined
    max_bytes?: number | undefined
  },
) {
  const { key, method = 'GET', expires_in = '1h', ...limits } = body
  allow(ctx.actor, method === 'GET' ? 'read' : 'write', bucket, key)
  if (method === 'GET') assertMayGiveAway(ctx.actor)
  const seconds = secondsOf(expires_in)
  for (const field of ['version_id', 'image'] as const)
    if (limits[field] !== undefined && method === 'PUT') throw invalid(`body.${field}`, 'is only allowed for GET')
  if (limits.image && !asksForImage(limits.image)) throw invalid('body.image', 'must have w, h, format or q')
  if (seconds > MOST_SECONDS) throw invalid('body.expires_in', 'must not be more than seven days')
  const { user_id, token_id } = ctx.actor
  const until = ctx.now().getTime() + seconds * 1000
  const claims: Claims = { method, bucket, key, user: user_id ?? '', token: token_id, until, ...limits }
  const url = `${ctx.config.publicBaseUrl}/api/v1/signed/${signClaims(ctx.config, PURPOSE, claims)}`
  return { url, method, expires_at: new Date(until).toISOString() }
}

/** Throws where an agent shares only what a person has agreed to: a URL that it signed would go around that. */
function assertMayGiveAway({ agent }: Actor): void {
  if (agent?.approval.actions.includes('share'))
    throw new ServiceError('forbidden', 'What this agent shares needs approval: create a share link instead.')
}

const refused = (detail: string) => new ServiceError('forbidden', detail)

/** Verifies a URL for this method; returns its claims and its signer with their current rights. */
export async function openSigned(
  ctx: Ctx,
  token: string,
  method: 'GET' | 'PUT',
): Promise<{ claims: Claims; signer: Ctx }> {
  const claims = readClaims<Claims>(ctx.config, PURPOSE, token)
  if (!claims) throw refused('This URL is not valid.')
  if (claims.until <= ctx.now().getTime()) throw refused('This URL has expired.')
  if (claims.method !== method) throw refused(`This URL is for ${claims.method} only.`)
  const { user, token: by } = claims
  const ended = () => refused('The account or token that created this URL is no longer active.')
  const signer = ctx.as(await actorOnBehalf(ctx, { user, token: by, auth_method: 'presigned' }, ended))
  noteBucket(ctx, claims.bucket)
  return { claims, signer }
}
