import { api } from '../../../../contract/index.ts'
import { checksumOf } from '../../../http/checksum.ts'
import { completeUpload } from '../../../storage/uploads/complete.ts'
import * as service from '../../../storage/uploads/service.ts'
import { receivePart } from '../../../storage/uploads/urls.ts'
import { handle } from '../handle.ts'
import { bodyOf } from '../uploads.ts'

export const uploadRoutes = [
  handle(api.initUpload, (ctx, { params, body }) => service.initUpload(ctx, params.bucket, body)),
  handle(api.getUpload, (ctx, { params, query }) => service.getUpload(ctx, params.bucket, params.upload_id, query)),
  handle(api.listUploads, (ctx, { params, query }) =>
    service.listUploads(ctx, params.bucket, query.limit ?? 100, query.cursor),
  ),
  handle(api.completeUpload, (ctx, { params, body }) => completeUpload(ctx, params.bucket, body)),
  handle(api.abortUpload, (ctx, { params, body }) => service.abortUpload(ctx, params.bucket, body.upload_id)),
  handle(api.putPart, async (ctx, { params, ...raw }) => {
    const checksum = checksumOf(raw.request.headers)
    const part = await receivePart(ctx, params.token, { ...bodyOf(raw), checksum })
    raw.reply.header('etag', `"${part.etag}"`)
    return part
  }),
]
