import { api } from '../../../../contract/index.ts'
import { testIdp } from '../../../access/auth/oidc.ts'
import { listMails } from '../../../access/mail/list.ts'
import { testMail } from '../../../access/mail/test.ts'
import { endSessionsOfOwnProvider } from '../../../access/session-ends/revoke.ts'
import { removeLogo } from '../../../access/settings/branding.ts'
import { getSettings, updateSettings } from '../../../access/settings/service.ts'
import { setTotalQuota } from '../../../storage/buckets/service.ts'
import { receiveLogo, sendLogo } from '../branding.ts'
import { handle } from '../handle.ts'

export const settingsRoutes = [
  handle(api.getSettings, (ctx) => getSettings(ctx)),
  handle(api.updateSettings, (ctx, { body }) =>
    updateSettings(ctx, body, { applyTotalQuota: setTotalQuota, endProvider: endSessionsOfOwnProvider }),
  ),
  handle(api.setLogo, (ctx, raw) => receiveLogo(ctx, raw)),
  handle(api.deleteLogo, (ctx) => removeLogo(ctx)),
  handle(api.getLogo, (ctx, { query, ...raw }) => sendLogo(ctx, query.v, raw)),
  handle(api.testIdp, (ctx) => testIdp(ctx)),
  handle(api.testMail, (ctx) => testMail(ctx)),
  handle(api.listMails, (ctx, { query }) => listMails(ctx, query)),
]
