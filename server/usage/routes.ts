import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import * as service from './service.ts'

export const usageRoutes = [
  handle(api.usage, (ctx) => service.summariseUsage(ctx)),
  handle(api.usageHistory, (ctx, { query }) => service.getHistory(ctx, query)),
  handle(api.usageTypes, (ctx, { query }) => service.getTypes(ctx, query)),
]
