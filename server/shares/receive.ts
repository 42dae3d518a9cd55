import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../contract/errors.ts'
import { isKeyText } from '../../contract/names.ts'
import type { Actor, Ctx } from '../context.ts'
import { expectBody } from '../http/body.ts'
import { tooMany } from '../incoming/service.ts'
import { typeOf } from '../objects/describe.ts'
import { placeUnderFreeName } from '../objects/place.ts'
import { receiver } from '../objects/received.ts'
import { noteBucket } from '../usage/service.ts'
import {
  checkPassword,
  findLink,
  forbidCaching,
  gone,
  isOpen,
  noteAccess,
  openLink,
  openRanges,
  passwordNeeded,
} from './open.ts'
import type { UploadLimits } from './service.ts'
import * as store from './store.ts'

const MOST_NAMES = 1000

/** Stores a file that a stranger puts in through a link; nothing is overwritten, and nothing of the folder is told. */
export async function receiveThroughShare(
  ctx: Ctx,
  token: string,
  name: string,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
) {
  forbidCaching(reply)
  const link = await findLink(ctx, token)
  const { row } = link
  noteBucket(request, row.bucket)
  if (row.kind !== 'upload') throw gone()
  await checkPassword(ctx, link, request)
  const key = row.target + name
  if (!isKeyText(key, 1) || name.endsWith('/'))
    throw new ServiceError('invalid_request', 'This name makes no valid key.', {
      faults: [{ path: 'params.key', message: 'must be a name of a file' }],
    })
  if (!isOpen(openRanges(link, 'write', key), key)) throw gone()
  const limits = JSON.parse(row.limits) as UploadLimits
  const content_type = typeOf(request.headers['content-type'], key)
  assertType(limits, content_type)
  const left = Math.max(0, (limits.max_total_bytes ?? Number.POSITIVE_INFINITY) - row.received_bytes)
  if (limits.max_files !== undefined && row.received_files >= limits.max_files) throw full()

  const sender: Actor = { ...ctx.actor, auth_method: 'share_link' }
  const visitor = ctx.as(sender)
  const { receive } = await receiver(visitor, row.bucket, {
    id: row.id,
    async room(tx, others) {
      const latest = await store.lockShare(tx, row.id)
      if (!latest) throw gone()
      const { uploads, bytes } = await others()
      if (limits.max_files !== undefined && latest.received_files + uploads >= limits.max_files) throw full()
      if (ctx.config.uploadsPerLink > 0 && uploads >= ctx.config.uploadsPerLink)
        throw tooMany(`This link takes ${ctx.config.uploadsPerLink} files at once.`)
      return (limits.max_total_bytes ?? Number.POSITIVE_INFINITY) - latest.received_bytes - bytes
    },
  })
  const length = request.headers['content-length']
  const maxBytes = Math.min(limits.max_file_bytes ?? Number.POSITIVE_INFINITY, left)
  const received = await receive(
    {
      key,
      content_type,
      metadata: {},
      source: request.raw.iterator({ destroyOnReturn: false }),
      announced: length === undefined ? undefined : Number(length),
      maxBytes: Number.isFinite(maxBytes) ? maxBytes : undefined,
    },
    () => expectBody(request, reply),
  )
  const { size } = received.blob
  const object = await placeUnderFreeName(visitor, row.bucket, received, freeNames(key), row.id, async (tx) => {
    const latest = await store.lockShare(tx, row.id)
    if (!latest) throw gone()
    const again = await openLink({ ...ctx, db: tx }, latest)
    for (const right of ['write', 'share'] as const) if (!isOpen(openRanges(again, right, key), key)) throw gone()
    if (latest.password_hash !== row.password_hash) throw passwordNeeded('The password of this link was changed.')
    if (limits.max_files !== undefined && latest.received_files >= limits.max_files) throw full()
    if (limits.max_total_bytes !== undefined && latest.received_bytes + size > limits.max_total_bytes)
      throw new ServiceError('too_large', 'This link does not take as many bytes any more.')
    await store.updateShare(tx, row.id, {
      received_files: latest.received_files + 1,
      received_bytes: latest.received_bytes + size,
    })
  })
  noteAccess(ctx, row, 'uploaded', object.key)
  return { name: object.key.slice(row.target.length), size }
}

const full = () => new ServiceError('limit_reached', 'This link has taken as many files as it may.')

function assertType({ content_types }: UploadLimits, contentType: string): void {
  if (!content_types) return
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const fits = content_types.some((one) => (one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one))
  if (!fits) throw new ServiceError('unsupported_media_type', `This link takes ${content_types.join(', ')} only.`)
}

/** `photo.jpg`, `photo (2).jpg`, `photo (3).jpg`… as long as they make keys. */
function* freeNames(key: string): Generator<string> {
  yield key
  const [, stem = key, extension = ''] = /^(.*[^/])(\.[^./]*)$/s.exec(key) ?? []
  for (let n = 2; n <= MOST_NAMES; n++) {
    const name = `${stem} (${n})${extension}`
    if (isKeyText(name, 1)) yield name
  }
}
