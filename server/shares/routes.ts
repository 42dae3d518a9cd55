import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import { unlockShare } from './password.ts'
import { receiveThroughShare } from './receive.ts'
import { openEntry, openShare } from './serve.ts'
import * as service from './service.ts'

export const shareRoutes = [
  handle(api.shareObject, (ctx, { params, query, body, reply }) => {
    reply.header('cache-control', 'no-store')
    return service.createShare(ctx, { kind: 'object', ...params, ...query, ...body })
  }),
  handle(api.shareObjectByQuery, (ctx, { params, query, body, reply }) => {
    reply.header('cache-control', 'no-store')
    return service.createShare(ctx, { kind: 'object', ...params, ...query, ...body })
  }),
  handle(api.createShare, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return service.createShare(ctx, body)
  }),
  handle(api.listShares, (ctx, { query }) => service.listShares(ctx, query)),
  handle(api.updateShare, (ctx, { params, body }) => service.updateShare(ctx, params.id, body)),
  handle(api.revokeShare, (ctx, { params }) => service.revokeShare(ctx, params.id)),
  handle(api.listShareAccesses, (ctx, { params, query }) =>
    service.listAccesses(ctx, params.id, query.page ?? 1, query.page_size ?? 50),
  ),
  handle(api.unlockShare, (ctx, { params, body, ...raw }) => unlockShare(ctx, params.token, body.password, raw)),
  ...[api.openShare, api.openShareAtRoot].map((route) =>
    handle(route, (ctx, { params, query, ...raw }) => openShare(ctx, params.token, query, raw)),
  ),
  ...[api.headShare, api.headShareAtRoot].map((route) =>
    handle(route, (ctx, { params, query, ...raw }) => openShare(ctx, params.token, query, raw)),
  ),
  ...[api.openShareEntry, api.openShareEntryAtRoot].map((route) =>
    handle(route, (ctx, { params, query, ...raw }) => openEntry(ctx, params.token, params.key, query, raw)),
  ),
  ...[api.headShareEntry, api.headShareEntryAtRoot].map((route) =>
    handle(route, (ctx, { params, query, ...raw }) => openEntry(ctx, params.token, params.key, query, raw)),
  ),
  ...[api.receiveThroughShare, api.receiveThroughShareAtRoot].map((route) =>
    handle(route, (ctx, { params, ...raw }) => receiveThroughShare(ctx, params.token, params.key, raw)),
  ),
]
