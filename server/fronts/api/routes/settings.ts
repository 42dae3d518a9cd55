import { api } from '../../../../contract/index.ts'
import { getSettings, testIdp, updateSettings } from '../../../settings/service.ts'
import { handle } from '../handle.ts'

export const settingsRoutes = [
  handle(api.getSettings, (ctx) => getSettings(ctx)),
  handle(api.updateSettings, (ctx, { body }) => updateSettings(ctx, body)),
  handle(api.testIdp, (ctx) => testIdp(ctx)),
]
