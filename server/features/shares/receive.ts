import type { Sender } from '../../../contract/shares.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { findBucket } from '../../storage/buckets/store.ts'
import { startReceiving, type Upload } from '../../storage/objects/receive.ts'
import { writeUnderFreeName } from '../../storage/objects/write.ts'
import { tooMany } from '../../storage/usage/reservations/reserve.ts'
import { noteBucket } from '../../storage/usage/traffic.ts'
import { acceptFile, countFile, freeNames, limitsOf, roomIn } from './accept.ts'
import { noteOpened } from './notice.ts'
import { findLink, gone, noteAccess, type OpenLink, visitorOf } from './open.ts'
import { checkPassword, type Presented } from './password.ts'
import { sentBy } from './sender.ts'

/** A file that a visitor uploads through a link. */
export interface SharedFile {
  /** Relative to the link's folder. */
  name: string
  presented: Presented
  /** Its Content-Type. */
  type: string | undefined
  sender: Sender
  body: Pick<Upload, 'source' | 'announced'>
}

/** Finds a link that takes files. Throws gone, or unauthenticated without its password. */
export async function findUploadLink(ctx: Ctx, token: string, presented: Presented): Promise<OpenLink> {
  const link = await findLink(ctx, token)
  noteBucket(ctx, link.row.bucket)
  if (link.row.kind !== 'upload') throw gone()
  // A bucket created later under the same name is another one.
  if ((await findBucket(ctx.db, link.row.bucket))?.id !== link.row.bucket_id) throw gone()
  await checkPassword(ctx, link, presented)
  return link
}

/** Stores a file that a visitor uploads through a link. Nothing is overwritten or revealed about the folder. */
export async function receiveThroughShare(
  ctx: Ctx,
  token: string,
  { name, presented, type, sender, body }: SharedFile,
) {
  const link = await findUploadLink(ctx, token, presented)
  const { row } = link
  const { key, content_type } = acceptFile(link, name, type, 'params.key')
  const limits = limitsOf(row)
  const left = Math.max(0, (limits.max_total_bytes ?? Number.POSITIVE_INFINITY) - row.received_bytes)
  const visitor = visitorOf(ctx, link)
  const { receive } = await startReceiving(visitor, row.bucket, {
    id: row.id,
    async room(tx, others) {
      const { requests, bytes } = await roomIn(ctx, tx, row.id, others)
      if (ctx.config.uploadsPerLink > 0 && requests.uploads >= ctx.config.uploadsPerLink)
        throw tooMany(`This link accepts at most ${ctx.config.uploadsPerLink} uploads at once.`)
      return bytes
    },
  })
  const maxBytes = Math.min(limits.max_file_bytes ?? Number.POSITIVE_INFINITY, left)
  const received = await receive({
    key,
    content_type,
    metadata: {},
    source: body.source,
    announced: body.announced,
    maxBytes: Number.isFinite(maxBytes) ? maxBytes : undefined,
  })
  const { size } = received.blob
  const before = (tx: Tx) => countFile(ctx, tx, row, { key, size })
  const terms = { names: freeNames(key), sent: sentBy(row.id, sender), before }
  const object = await writeUnderFreeName(visitor, row.bucket, received, terms)
  noteOpened(ctx, link)
  noteAccess(ctx, row, 'uploaded', { key: object.key, sender })
  return { name, size }
}
