import { api } from '../../../../contract/index.ts'
import * as service from '../../../access/access-keys/service.ts'
import { handle } from '../handle.ts'

export const accessKeyRoutes = [
  handle(api.createAccessKey, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return service.createAccessKey(ctx, body)
  }),
  handle(api.listAccessKeys, (ctx, { query }) => service.listAccessKeys(ctx, query)),
  handle(api.revokeAccessKey, (ctx, { params }) => service.revokeAccessKey(ctx, params.id)),
  handle(api.rotateAccessKey, (ctx, { params, body, reply }) => {
    reply.header('cache-control', 'no-store')
    return service.rotateAccessKey(ctx, params.id, body.grace_seconds ?? 0)
  }),
  handle(api.listUserAccessKeys, (ctx, { params, query }) =>
    service.listAccessKeys(ctx, { userId: params.id, ...query }),
  ),
]
