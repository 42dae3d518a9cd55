import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import type { StoredObject } from '../../../contract/objects.ts'
import { shownType } from '../../base/media-type.ts'
import type { Ctx } from '../../context.ts'
import { noteRead } from '../../features/audit/reads.ts'
import { namedVersion } from '../../storage/history/retire.ts'
import { openSigned } from '../../storage/objects/presign.ts'
import { read } from '../../storage/objects/read.ts'
import { audited, contentDispositionOf, opensContents, sendContents, sendObject } from './contents.ts'
import { reportDelivery } from './delivery.ts'
import type { Raw } from './handle.ts'
import { cacheControl, sendImage } from './images.ts'
import { receivePut } from './uploads.ts'

/** Lifetime of the storage URL that a signed URL redirects to, in seconds: enough to start the download. */
const DIRECT_SECONDS = 300

/** Responds to GET and HEAD of a signed URL, by redirecting to the storage if it issues URLs itself. */
export async function sendSigned(ctx: Ctx, token: string, raw: Raw): Promise<FastifyReply> {
  const { claims, signer } = await openSigned(ctx, token, 'GET')
  const { bucket, key, version_id, download = false, filename, embed = false, image } = claims
  const version = version_id === undefined ? undefined : namedVersion(version_id)
  if (image) {
    const contents = audited(signer, await read(signer, bucket, key, { opens: false, version }), {
      bucket,
      via: 'image',
    })
    const principal = signer.actor.user_id ?? ''
    return sendImage(signer, contents, { cacheControl, principal, download, filename, parameters: image }, raw)
  }
  if (embed) return sendObject(signer, { bucket, key, version, download, filename, embed }, raw)
  const contents = await read(signer, bucket, key, { opens: opensContents(raw.request), version })
  const { row } = contents
  const url =
    raw.request.method === 'GET'
      ? await contents.directUrl({
          expiresIn: DIRECT_SECONDS,
          contentType: shownType(row),
          contentDisposition: contentDispositionOf(row, { download, filename }),
        })
      : null
  if (url !== null) {
    reportDelivery(raw, (delivery) => noteRead(signer, { bucket, key, size: row.size, via: 'download' }, delivery))
    return raw.reply.header('cache-control', 'no-store').redirect(url, 307)
  }
  return sendContents(audited(signer, contents, { bucket, via: 'download' }), { download, filename }, raw)
}

/** Stores a PUT's body for a signed URL, within its limits. */
export async function receiveSigned(ctx: Ctx, token: string, raw: Raw): Promise<StoredObject> {
  const { claims, signer } = await openSigned(ctx, token, 'PUT')
  const { bucket, key, content_type, max_bytes: maxBytes } = claims
  if (content_type !== undefined && raw.request.headers['content-type'] !== content_type)
    throw new ServiceError('unsupported_media_type', `This URL only accepts Content-Type "${content_type}".`)
  return receivePut(signer, { bucket, key, maxBytes }, raw)
}
