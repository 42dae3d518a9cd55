import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteRead } from '../audit/reads.ts'
import type { Ctx } from '../context.ts'
import { sendObject } from '../objects/download.ts'
import { getObject } from '../objects/service.ts'
import { hasImageParameters, sendImage } from './service.ts'

interface Raw {
  request: FastifyRequest
  reply: FastifyReply
}

/** Answers with an object of someone who may read it, as an image where the query asks for one. */
export async function serveImage(
  ctx: Ctx,
  { bucket, key }: { bucket: string; key: string },
  { request, reply }: Raw,
): Promise<FastifyReply> {
  if (!hasImageParameters(request)) return sendObject(ctx, { bucket, key, download: false }, request, reply)
  const row = await getObject(ctx, bucket, key)
  noteRead(ctx, reply, { bucket, key, size: row.size, via: 'image' })
  return sendImage(ctx, row, request, reply, {
    // The browser may show it again for five minutes; then it asks, and whether one may read it is decided anew.
    cacheControl: 'private, max-age=300, must-revalidate',
    principal: ctx.actor.user_id ?? '',
  })
}
