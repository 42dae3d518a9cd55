import type { FastifyReply } from 'fastify'
import { asksForImage, type ImageQuery } from '../../../contract/images.ts'
import type { Ctx } from '../../context.ts'
import { findImage, type ImageOptions } from '../../features/images/service.ts'
import { readEntityTags } from '../../http/conditions.ts'
import type { Delivery } from '../../http/delivery.ts'
import { type Contents, read } from '../../storage/objects/read.ts'
import { audited, opensContents, sendContents } from './contents.ts'
import { reportDelivery } from './delivery.ts'
import type { Raw } from './handle.ts'

/** Browsers may reuse an image for five minutes; then they revalidate, and the permission is checked again. */
export const cacheControl = 'private, max-age=300, must-revalidate'

/** Responds with an object that the caller may read, as an image if the query asks for one. */
export async function serveImage(
  ctx: Ctx,
  { bucket, key }: { bucket: string; key: string },
  raw: Raw,
): Promise<FastifyReply> {
  const isImage = asksForImage(raw.request.query)
  const contents = await read(ctx, bucket, key, { opens: !isImage && opensContents(raw.request) })
  return isImage
    ? sendImage(
        ctx,
        audited(ctx, contents, { bucket, via: 'image' }),
        { cacheControl, principal: ctx.actor.user_id ?? '' },
        raw,
      )
    : sendContents(audited(ctx, contents, { bucket, via: 'download' }), { download: false, cacheControl }, raw)
}

export interface SendingImage extends ImageOptions {
  cacheControl: string
  /** The parameters, if they are not in the URL. */
  parameters?: ImageQuery
  /** Called before anything of a GET's image is sent; what it throws is sent instead. */
  begin?: () => Promise<((delivery: Delivery) => void) | undefined>
}

/** Responds to GET and HEAD of an object as an image. The caller's permission was checked before. */
export async function sendImage(
  ctx: Ctx,
  contents: Contents,
  { cacheControl: cached, begin, parameters, ...options }: SendingImage,
  { request, reply }: Raw,
): Promise<FastifyReply> {
  const { headers, method } = request
  const image = await findImage(
    ctx,
    contents.row,
    {
      query: parameters ?? request.query,
      accept: headers.accept,
      ifMatch: readEntityTags(headers['if-match']),
      ifNoneMatch: readEntityTags(headers['if-none-match']),
      bytes: method !== 'HEAD',
      signal: leaving(reply),
    },
    options,
  )
  const began = image.unchanged || method !== 'GET' ? undefined : await begin?.()
  reply.headers({ etag: `"${image.etag}"`, 'cache-control': cached, ...(image.varies ? { vary: 'Accept' } : {}) })
  reportDelivery({ request, reply }, contents.delivered, began)
  if (image.unchanged) return reply.code(304).send()
  reply.headers({
    'content-type': image.type,
    'content-disposition': image.disposition,
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  })
  if (image.bytes) reply.header('content-length', image.bytes.length)
  return method === 'HEAD' ? reply.send() : reply.send(image.bytes)
}

/** Aborted when the client disconnects before it has the response. */
function leaving({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  raw.once('close', () => left.abort())
  return left.signal
}
