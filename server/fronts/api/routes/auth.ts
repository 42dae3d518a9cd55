import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../../contract/errors.ts'
import { api } from '../../../../contract/index.ts'
import * as idp from '../../../access/auth/idp-login.ts'
import { acceptInvitation, readInvitation } from '../../../access/auth/invitation.ts'
import { changePassword, login } from '../../../access/auth/login.ts'
import { isFirstSignIn, isSetupRequired, setUp } from '../../../access/auth/setup.ts'
import { describeCaller } from '../../../access/sessions/caller.ts'
import * as sessions from '../../../access/sessions/sessions.ts'
import { updateMe } from '../../../access/users/update-me.ts'
import type { Ctx } from '../../../context.ts'
import * as cookies from '../cookies.ts'
import { handle } from '../handle.ts'

export const authRoutes = [
  handle(api.login, (ctx, { body, query, ...raw }) => {
    if (body.grant_type !== undefined && body.grant_type !== 'password')
      throw new ServiceError('unsupported_grant_type', 'grant_type must be "password".')
    const device = cookies.readDeviceCookie(ctx, raw.request)
    const enter = async () => ({ tokens: await login(ctx, { ...body, device }), email: body.username })
    return cookies.answerLogin(ctx, enter, query.session, raw)
  }),
  handle(api.refresh, (ctx, { body, query, ...raw }) => {
    if (body.refresh_token === undefined && query.session !== 'cookie')
      throw new ServiceError('invalid_request', 'body.refresh_token is required', {
        faults: [{ path: 'body.refresh_token', message: 'is required, unless session=cookie' }],
      })
    const token = body.refresh_token ?? cookies.readRefreshCookie(ctx, raw.request)
    return cookies.answerTokens(ctx, () => sessions.refresh(ctx, token), query.session, raw)
  }),
  handle(api.logout, (ctx, raw) => {
    cookies.clearRefreshCookie(ctx, raw)
    return sessions.logout(ctx)
  }),
  handle(api.me, (ctx) => describeCaller(ctx)),
  handle(api.updateMe, (ctx, { body }) => updateMe(ctx, body)),
  handle(api.authConfig, async (ctx) => ({
    ...(await idp.describeLogins(ctx)),
    setup_required: await isSetupRequired(ctx),
    first_sign_in: await isFirstSignIn(ctx),
  })),
  handle(api.setUp, (ctx, { body, query, ...raw }) =>
    cookies.answerTokens(ctx, () => setUp(ctx, body), query.session, raw),
  ),
  handle(api.readInvitation, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return readInvitation(ctx, body.token)
  }),
  handle(api.acceptInvitation, (ctx, { body, query, ...raw }) =>
    cookies.answerLogin(ctx, () => acceptInvitation(ctx, body), query.session, raw),
  ),
  handle(api.idpLogin, async (ctx, { query, reply }) => {
    const { auth_url, cookie } = await idp.beginLogin(ctx, query.return_to)
    cookies.setLoginCookie(ctx, reply, cookie)
    reply.header('cache-control', 'no-store')
    return { auth_url }
  }),
  handle(api.idpCallback, (ctx, { query, request, reply }) =>
    answerCallback(
      ctx,
      { query: request.raw.url?.split('?').slice(1).join('?') ?? '', state: query.state },
      request,
      reply,
    ),
  ),
  handle(api.idpCallbackPost, (ctx, { body, request, reply }) => {
    const query = new URLSearchParams(body as Record<string, string>).toString()
    // A form posted by the provider's site comes without our cookie; a page load of our own brings it along.
    if (cookies.readLoginCookie(ctx, request) === undefined && isBrowser(request))
      return reply.redirect(`${ctx.config.publicBaseUrl}/api/v1/auth/callback?${query}`, 303) as never
    return answerCallback(ctx, { query, state: body.state }, request, reply)
  }),
  handle(api.redeemHandoff, (ctx, { body, query, ...raw }) => {
    raw.reply.header('cache-control', 'no-store')
    const redeem = async () => {
      const tokens = await idp.redeemHandoff(ctx, body.code, cookies.readLoginCookie(ctx, raw.request))
      cookies.clearLoginCookie(ctx, raw.reply)
      return tokens
    }
    return cookies.answerTokens(ctx, redeem, query.session, raw)
  }),
  handle(api.changePassword, (ctx, { body, query, ...raw }) =>
    cookies.answerTokens(ctx, () => changePassword(ctx, body.current_password, body.new_password), query.session, raw),
  ),
  handle(api.listSessions, (ctx, { query }) => sessions.listSessions(ctx, query.limit ?? 100, query.cursor)),
  handle(api.endSession, (ctx, { params }) => sessions.endSession(ctx, params.id)),
]

const isBrowser = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false

async function answerCallback(
  ctx: Ctx,
  { query, state }: { query: string; state: string | undefined },
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const cookie = cookies.readLoginCookie(ctx, request)
  reply.header('cache-control', 'no-store')
  const answer = await idp.finishLogin(ctx, { query, state, cookie, browser: isBrowser(request) })
  // The code is only useful to the browser with the cookie.
  if ('redirect' in answer) return reply.redirect(answer.redirect, 303) as never
  // Not after a failure: another tab may have started a login since.
  if (cookie !== undefined) cookies.clearLoginCookie(ctx, reply)
  const { tokens } = answer
  return cookies.answerTokens(ctx, async () => tokens, undefined, { request, reply })
}
