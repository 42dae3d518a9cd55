import { api } from '../../../../contract/index.ts'
import * as service from '../../../access/temporary/service.ts'
import { handle } from '../handle.ts'

export const machineSessionRoutes = [
  handle(api.listMachineSessions, (ctx, { query }) => service.listMachineSessions(ctx, query)),
  handle(api.endMachineSessions, (ctx, { query }) => service.endMachineSessions(ctx, query)),
]
