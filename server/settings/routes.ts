import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import { getSettings, testIdp, updateSettings } from './service.ts'

export const settingsRoutes = [
  handle(api.getSettings, (ctx) => getSettings(ctx)),
  handle(api.updateSettings, (ctx, { body }) => updateSettings(ctx, body)),
  handle(api.testIdp, (ctx) => testIdp(ctx)),
]
