import { api } from '../../../../contract/index.ts'
import { createUser } from '../../../access/users/create.ts'
import * as describe from '../../../access/users/describe.ts'
import { importUsers, searchDirectory } from '../../../access/users/directory.ts'
import { inviteUser, revokeInvitation } from '../../../access/users/invitations.ts'
import * as service from '../../../access/users/service.ts'
import * as update from '../../../access/users/update.ts'
import { handle } from '../handle.ts'

export const userRoutes = [
  handle(api.createUser, (ctx, { body }) => createUser(ctx, body)),
  handle(api.listUsers, (ctx, { query: { limit = 100, cursor, group_id, q, active } }) =>
    describe.listUsers(ctx.db, { q, groupId: group_id, active }, limit, cursor),
  ),
  handle(api.searchDirectory, (ctx, { query }) => searchDirectory(ctx, query.q, query.limit ?? 25, query.cursor)),
  handle(api.importUsers, (ctx, { body }) => importUsers(ctx, body.external_ids)),
  handle(api.getUser, (ctx, { params }) => describe.getUser(ctx.db, params.id)),
  handle(api.updateUser, (ctx, { params, body }) => update.updateUser(ctx, params.id, body)),
  handle(api.deleteUser, (ctx, { params }) => service.deleteUser(ctx, params.id)),
  handle(api.endUserSessions, (ctx, { params }) => service.endUserSessions(ctx, params.id)),
  handle(api.inviteUser, (ctx, { params, reply }) => {
    reply.header('cache-control', 'no-store')
    return inviteUser(ctx, params.id)
  }),
  handle(api.revokeInvitation, (ctx, { params }) => revokeInvitation(ctx, params.id)),
  handle(api.listMembers, (ctx, { params, query }) =>
    describe.listMembers(ctx.db, params.id, query.limit ?? 100, query.cursor),
  ),
]
