import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import { addMembers, createGroup, listGroups } from './service.ts'

export const groupRoutes = [
  handle(api.createGroup, (ctx, { body }) => createGroup(ctx, body)),
  handle(api.listGroups, (ctx, { query }) => listGroups(ctx.db, query.limit ?? 100, query.cursor)),
  handle(api.addMembers, (ctx, { params, body }) => addMembers(ctx, params.id, body.user_ids)),
]
