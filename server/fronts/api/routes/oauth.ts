import { ServiceError } from '../../../../contract/errors.ts'
import { api } from '../../../../contract/index.ts'
import { registerClient } from '../../../access/oauth/clients.ts'
import { exchangeToken, revokeToken } from '../../../access/oauth/grants.ts'
import { type Asked, checkRequest, describeRequest } from '../../../access/oauth/requests.ts'
import { describeResource, describeServer } from '../../../access/oauth/server.ts'
import type { Ctx } from '../../../context.ts'
import { approveAuthorization } from '../../../features/agents/connect.ts'
import { handle, type Raw } from '../handle.ts'

/** Takes the browser to the console; programs are told what is wrong as they are elsewhere. */
async function begin(ctx: Ctx, asked: Asked, { request, reply }: Raw) {
  reply.header('cache-control', 'no-store')
  const page = `${ctx.config.publicBaseUrl}/console/connect`
  try {
    return reply.redirect(`${page}?request=${await checkRequest(ctx, asked)}`, 303)
  } catch (error) {
    // The redirect URI gets no errors: the browser would follow whoever made a link to us.
    if (!(error instanceof ServiceError) || !request.headers.accept?.includes('text/html')) throw error
    const { error: named } = error.extensions
    return reply.redirect(`${page}?problem=${typeof named === 'string' ? named : error.code}`, 303)
  }
}

export const oauthRoutes = [
  handle(api.getMcpResource, (ctx) => describeResource(ctx.config)),
  handle(api.getMcpResourceAtRoot, (ctx) => describeResource(ctx.config)),
  handle(api.getAuthorizationServer, (ctx) => describeServer(ctx.config)),
  handle(api.registerClient, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return registerClient(ctx, body)
  }),
  handle(api.beginAuthorization, (ctx, { query, ...raw }) => begin(ctx, query, raw)),
  handle(api.readAuthorization, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return describeRequest(ctx, body.request)
  }),
  handle(api.approveAuthorization, (ctx, { body: { request, ...agent }, reply }) => {
    reply.header('cache-control', 'no-store')
    return approveAuthorization(ctx, request, agent)
  }),
  handle(api.exchangeToken, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return exchangeToken(ctx, body)
  }),
  handle(api.revokeOauthToken, async (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    await revokeToken(ctx, body)
    return {}
  }),
]
