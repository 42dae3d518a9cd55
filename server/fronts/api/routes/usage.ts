import { api } from '../../../../contract/index.ts'
import { isAdmin } from '../../../../contract/permissions.ts'
import { countFailed } from '../../../features/webhooks/store.ts'
import * as service from '../../../storage/usage/service.ts'
import { handle } from '../handle.ts'

export const usageRoutes = [
  handle(api.usage, (ctx) => service.summariseUsage(ctx)),
  handle(api.usageHistory, async (ctx, { query }) => {
    const history = await service.getHistory(ctx, query)
    const failed = isAdmin(ctx.actor.groups) ? await countFailed(ctx.db, history.from, history.to) : null
    return { ...history, failed_deliveries: failed }
  }),
  handle(api.usageTypes, (ctx, { query }) => service.getTypes(ctx, query)),
]
