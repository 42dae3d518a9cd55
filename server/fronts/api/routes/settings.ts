import { api } from '../../../../contract/index.ts'
import { testIdp } from '../../../access/auth/oidc.ts'
import { getSettings, updateSettings } from '../../../access/settings/service.ts'
import { setTotalQuota } from '../../../storage/buckets/service.ts'
import { handle } from '../handle.ts'

export const settingsRoutes = [
  handle(api.getSettings, (ctx) => getSettings(ctx)),
  handle(api.updateSettings, (ctx, { body }) => updateSettings(ctx, body, setTotalQuota)),
  handle(api.testIdp, (ctx) => testIdp(ctx)),
]
