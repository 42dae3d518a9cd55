import { api } from '../../../../contract/index.ts'
import * as service from '../../../usage/service.ts'
import { handle } from '../handle.ts'

export const usageRoutes = [
  handle(api.usage, (ctx) => service.summariseUsage(ctx)),
  handle(api.usageHistory, (ctx, { query }) => service.getHistory(ctx, query)),
  handle(api.usageTypes, (ctx, { query }) => service.getTypes(ctx, query)),
]
