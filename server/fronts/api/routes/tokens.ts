import { api } from '../../../../contract/index.ts'
import * as service from '../../../access/tokens/service.ts'
import { handle } from '../handle.ts'

export const tokenRoutes = [
  handle(api.createToken, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return service.createToken(ctx, body)
  }),
  handle(api.listTokens, (ctx, { query }) => service.listTokens(ctx, query)),
  handle(api.revokeToken, (ctx, { params, query }) => service.revokeToken(ctx, params.id, query.cascade ?? false)),
  handle(api.rotateToken, (ctx, { params, body, reply }) => {
    reply.header('cache-control', 'no-store')
    return service.rotateToken(ctx, params.id, body.grace_seconds ?? 0)
  }),
  handle(api.listUserTokens, (ctx, { params, query }) => service.listTokens(ctx, { userId: params.id, ...query })),
]
