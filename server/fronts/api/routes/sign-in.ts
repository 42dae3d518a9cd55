import { api } from '../../../../contract/index.ts'
import { beginPasskeyLogin, passkeyLogin } from '../../../access/auth/passkey-login.ts'
import { readPasswordReset, requestPasswordReset, resetPassword } from '../../../access/auth/password-reset.ts'
import * as cookies from '../cookies.ts'
import { handle } from '../handle.ts'

export const signInRoutes = [
  handle(api.beginPasskeyLogin, (ctx, { reply }) => {
    reply.header('cache-control', 'no-store')
    return beginPasskeyLogin(ctx)
  }),
  handle(api.passkeyLogin, (ctx, { body, query, ...raw }) => {
    const device = cookies.readDeviceCookie(ctx, raw.request)
    return cookies.answerLogin(ctx, () => passkeyLogin(ctx, { ...body, device }), query.session, raw)
  }),
  handle(api.requestPasswordReset, (ctx, { body }) => requestPasswordReset(ctx, body)),
  handle(api.readPasswordReset, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return readPasswordReset(ctx, body.token)
  }),
  handle(api.resetPassword, (ctx, { body, query, ...raw }) =>
    cookies.answerLogin(ctx, () => resetPassword(ctx, body), query.session, raw),
  ),
]
