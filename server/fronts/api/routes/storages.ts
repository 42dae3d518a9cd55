import { api } from '../../../../contract/index.ts'
import { receiveEvents, tokenOf } from '../../../storage/attached/scans/hints.ts'
import { createEventsToken, deleteEventsToken } from '../../../storage/storages/events-token.ts'
import { checkHealth } from '../../../storage/storages/health.ts'
import { failover } from '../../../storage/storages/mirrors/settings.ts'
import { testPlace, testStorage } from '../../../storage/storages/reach.ts'
import * as service from '../../../storage/storages/service.ts'
import { handle } from '../handle.ts'

export const storageRoutes = [
  handle(api.listStorages, (ctx) => service.listStorages(ctx)),
  handle(api.createStorage, (ctx, { body }) => service.createStorage(ctx, body)),
  handle(api.testNewStorage, (ctx, { body }) => testPlace(ctx, body)),
  handle(api.getStorage, (ctx, { params }) => service.getStorage(ctx, params.storage)),
  handle(api.updateStorage, (ctx, { params, body }) => service.updateStorage(ctx, params.storage, body)),
  handle(api.failoverStorage, async (ctx, { params, body }) => {
    await failover(ctx, params.storage, body ?? {})
    return service.getStorage(ctx, params.storage)
  }),
  handle(api.deleteStorage, (ctx, { params }) => service.deleteStorage(ctx, params.storage)),
  handle(api.testStorage, (ctx, { params, body }) => testStorage(ctx, params.storage, body)),
  handle(api.createEventsToken, (ctx, { params }) => createEventsToken(ctx, params.storage)),
  handle(api.deleteEventsToken, (ctx, { params }) => deleteEventsToken(ctx, params.storage)),
  handle(api.receiveEvents, (ctx, { params, query, headers, body }) =>
    receiveEvents(ctx, params.storage, { token: tokenOf(headers.authorization, query.token), body }),
  ),
  handle(api.getStorageHealth, (ctx, { params }) => checkHealth(ctx, params.storage)),
]
