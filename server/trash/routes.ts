import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import { listTrash, purgeTrash, restoreTrash } from './service.ts'

export const trashRoutes = [
  handle(api.listTrash, (ctx, { params, query }) =>
    listTrash(ctx, params.bucket, query.prefix ?? '', query.limit ?? 100, query.cursor),
  ),
  handle(api.restoreTrash, (ctx, { params, body }) => restoreTrash(ctx, params.bucket, body.ids, body.on_conflict)),
  handle(api.purgeTrash, (ctx, { params, body }) => purgeTrash(ctx, params.bucket, 'ids' in body ? body.ids : 'all')),
]
