import { Readable } from 'node:stream'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply } from 'fastify'
import type { Ctx } from '../../context.ts'
import type { Archive } from '../../storage/objects/archive/archive.ts'
import type { ObjectRow } from '../../storage/objects/store.ts'
import { countDownload } from '../../storage/usage/traffic.ts'
import { reportDelivery } from './delivery.ts'
import type { Raw } from './handle.ts'

/** Responds to GET, HEAD and POST with an archive. `onRead` is called for each object added to it. */
export function sendArchive(
  ctx: Ctx,
  archive: Archive,
  { onRead, cacheControl = 'private, no-store' }: { onRead: (row: ObjectRow) => void; cacheControl?: string },
  { request, reply }: Raw,
): FastifyReply {
  reply
    .header('content-type', 'application/zip')
    .header('content-disposition', contentDisposition(`${archive.name}.zip`))
    .header('cache-control', cacheControl)
  if (request.method === 'HEAD') return reply.send()
  reportDelivery({ request, reply }, (delivery) => countDownload(ctx, archive.bucket_id, delivery))
  return reply.send(Readable.from(archive.open(onRead), { objectMode: false }))
}
