import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { sendContents } from '../objects/download.ts'
import { getObject } from '../objects/service.ts'
import { hasImageParameters, sendImage } from './service.ts'

interface Raw {
  request: FastifyRequest
  reply: FastifyReply
}

/** A browser may show it again for five minutes; then it asks, and whether one may read it is decided anew (I10). */
const cacheControl = 'private, max-age=300, must-revalidate'

/** Answers with an object of someone who may read it, as an image where the query asks for one. */
export async function serveImage(
  ctx: Ctx,
  { bucket, key }: { bucket: string; key: string },
  { request, reply }: Raw,
): Promise<FastifyReply> {
  const row = await getObject(ctx, bucket, key)
  if (!hasImageParameters(request)) return sendContents(ctx, row, { download: false, cacheControl }, request, reply)
  return sendImage(ctx, row, request, reply, { cacheControl, principal: ctx.actor.user_id ?? '' })
}
