import { api } from '../../../../contract/index.ts'
import { apply, exportConfiguration } from '../../../features/apply/service.ts'
import { handle } from '../handle.ts'

export const applyRoutes = [
  handle(api.apply, (ctx, { body }) => apply(ctx, body)),
  handle(api.exportConfiguration, (ctx) => exportConfiguration(ctx)),
]
