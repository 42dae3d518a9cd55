import { api } from '../../../../contract/index.ts'
import { listTrash, purgeTrash } from '../../../storage/history/trash/service.ts'
import { restoreTrash } from '../../../storage/restore/service.ts'
import { handle } from '../handle.ts'

export const trashRoutes = [
  handle(api.listTrash, (ctx, { params, query }) => listTrash(ctx, params.bucket, query)),
  handle(api.restoreTrash, (ctx, { params, body }) => restoreTrash(ctx, params.bucket, body.ids, body.on_conflict)),
  handle(api.purgeTrash, (ctx, { params, body }) => purgeTrash(ctx, params.bucket, 'ids' in body ? body.ids : 'all')),
]
