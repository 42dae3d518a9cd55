import { ServiceError } from '../../../contract/errors.ts'
import { actorOnBehalf } from '../../access/sessions/service.ts'
import { allow, type Ctx } from '../../context.ts'
import { readClaims, signClaims } from '../../secrets/sign.ts'
import { findBucketName } from '../buckets/store.ts'
import { noteBucket } from '../usage/traffic.ts'
import { assertOpen, describePart, type PartBody, sizeOfPart, storePart } from './parts.ts'
import { directUrl } from './receive.ts'
import * as store from './store.ts'

const PURPOSE = 'upload-part'
const URL_SECONDS = 24 * 3600

interface Claims {
  upload: string
  part: number
  /** Who requested the URL, and with which token, if any: it stops working when either does. */
  user: string
  token: string | null
  /** Milliseconds since the epoch. */
  until: number
}

/** URLs for the parts with these numbers; of the storage itself where it accepts them. */
export async function partUrls(ctx: Ctx, row: store.UploadRow, from: number, to: number) {
  const expiresIn = URL_SECONDS
  const until = Math.min(Date.parse(row.expires_at), ctx.now().getTime() + expiresIn * 1000)
  const urls: { part_number: number; url: string }[] = []
  for (let part_number = from; part_number <= to; part_number++) {
    const size = sizeOfPart(row, part_number)
    const direct = await directUrl(ctx, row, part_number, { expiresIn, size })
    const { user_id, token_id } = ctx.actor
    const claims: Claims = { upload: row.id, part: part_number, user: user_id ?? '', token: token_id, until }
    const token = signClaims(ctx.config, PURPOSE, claims)
    urls.push({ part_number, url: direct ?? `${ctx.config.publicBaseUrl}/api/v1/parts/${token}` })
  }
  return urls
}

/**
 * Stores a body as the part that a URL is for. Rejected once the user or token that requested the URL is inactive or
 * lacks the right.
 */
export async function receivePart(ctx: Ctx, token: string, body: PartBody) {
  const claims = readClaims<Claims>(ctx.config, PURPOSE, token)
  if (!claims || claims.until <= ctx.now().getTime())
    throw new ServiceError('forbidden', 'This URL is invalid or has expired. Request new part URLs.')
  const row = assertOpen(ctx, await store.findUpload(ctx.db, claims.upload))
  const bucket = await findBucketName(ctx.db, row.bucket_id)
  const ended = () =>
    new ServiceError('forbidden', 'The account or token that requested this URL can no longer continue the upload.')
  const actor = await actorOnBehalf(ctx, { user: claims.user, token: claims.token }, ended)
  if (bucket === undefined) throw ended()
  noteBucket(ctx, bucket)
  allow(actor, 'write', bucket, row.key)
  return describePart(await storePart(ctx.as(actor), row, claims.part, body))
}
