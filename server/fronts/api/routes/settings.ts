import { api } from '../../../../contract/index.ts'
import { testIdp } from '../../../auth/oidc.ts'
import { setTotalQuota } from '../../../buckets/service.ts'
import { getSettings, updateSettings } from '../../../settings/service.ts'
import { handle } from '../handle.ts'

export const settingsRoutes = [
  handle(api.getSettings, (ctx) => getSettings(ctx)),
  handle(api.updateSettings, (ctx, { body }) => updateSettings(ctx, body, setTotalQuota)),
  handle(api.testIdp, (ctx) => testIdp(ctx)),
]
