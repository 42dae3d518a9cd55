import { api } from '../../../../contract/index.ts'
import * as service from '../../../features/inventories/service.ts'
import { handle } from '../handle.ts'

export const inventoryRoutes = [
  handle(api.createInventory, (ctx, { body }) => service.createInventory(ctx, body)),
  handle(api.listInventories, (ctx, { query }) => service.listInventories(ctx, query)),
  handle(api.getInventory, (ctx, { params }) => service.getInventory(ctx, params.id)),
  handle(api.updateInventory, (ctx, { params, body }) => service.updateInventory(ctx, params.id, body)),
  handle(api.deleteInventory, (ctx, { params }) => service.deleteInventory(ctx, params.id)),
  handle(api.runInventory, (ctx, { params }) => service.runInventory(ctx, params.id)),
  handle(api.listInventoryRuns, (ctx, { params, query }) =>
    service.listInventoryRuns(ctx, params.id, query.limit ?? 100, query.cursor),
  ),
  handle(api.getInventoryRun, (ctx, { params }) => service.getInventoryRun(ctx, params.id, params.run_id)),
  handle(api.cancelInventoryRun, (ctx, { params }) => service.cancelInventoryRun(ctx, params.id, params.run_id)),
]
