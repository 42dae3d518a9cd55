import { ServiceError } from '../../contract/errors.ts'
import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import * as service from './service.ts'

/** RFC 6749 section 5.1: tokens are never kept by a cache. */
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

export const authRoutes = [
  handle(api.login, (ctx, { body, reply }) => {
    if (body.grant_type !== undefined && body.grant_type !== 'password')
      throw new ServiceError('unsupported_grant_type', 'grant_type must be "password".')
    reply.headers(noStore)
    return service.login(ctx, body.username, body.password)
  }),
  handle(api.refresh, (ctx, { body, reply }) => {
    reply.headers(noStore)
    return service.refresh(ctx, body.refresh_token)
  }),
  handle(api.logout, (ctx) => service.logout(ctx)),
  handle(api.me, (ctx) => service.describeCaller(ctx)),
  handle(api.authConfig, () => ({ local: true, idp: false, idp_name: null })),
]
