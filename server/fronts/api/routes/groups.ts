import { api } from '../../../../contract/index.ts'
import * as explain from '../../../access/groups/explain.ts'
import * as members from '../../../access/groups/members.ts'
import * as service from '../../../access/groups/service.ts'
import { handle } from '../handle.ts'

export const groupRoutes = [
  handle(api.createGroup, (ctx, { body }) => service.createGroup(ctx, body)),
  handle(api.listGroups, (ctx, { query }) => service.listGroups(ctx.db, query.limit ?? 100, query.cursor)),
  handle(api.getGroup, (ctx, { params }) => service.getGroup(ctx.db, params.id)),
  handle(api.updateGroup, (ctx, { params, body }) => service.updateGroup(ctx, params.id, body)),
  handle(api.deleteGroup, (ctx, { params, query }) => service.deleteGroup(ctx, params.id, query.force ?? false)),
  handle(api.addMembers, (ctx, { params, body }) => members.addMembers(ctx, params.id, body.user_ids)),
  handle(api.replaceMembers, (ctx, { params, body }) => members.replaceMembers(ctx, params.id, body.user_ids)),
  handle(api.removeMembers, (ctx, { params, body }) => members.removeMembers(ctx, params.id, body.user_ids)),
  handle(api.explainPermission, (ctx, { query }) => explain.explainPermission(ctx, query)),
]
