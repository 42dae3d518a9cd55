import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import { completeUpload } from './complete.ts'
import { receivePart } from './parts.ts'
import * as service from './service.ts'

export const uploadRoutes = [
  handle(api.initUpload, (ctx, { params, body }) => service.initUpload(ctx, params.bucket, body)),
  handle(api.getUpload, (ctx, { params, query }) => service.getUpload(ctx, params.bucket, params.upload_id, query)),
  handle(api.listUploads, (ctx, { params, query }) =>
    service.listUploads(ctx, params.bucket, query.limit ?? 100, query.cursor),
  ),
  handle(api.completeUpload, (ctx, { params, body }) => completeUpload(ctx, params.bucket, body)),
  handle(api.abortUpload, (ctx, { params, body }) => service.abortUpload(ctx, params.bucket, body.upload_id)),
  handle(api.putPart, (ctx, { params, ...raw }) => receivePart(ctx, params.token, raw)),
]
