import { ServiceError } from '../../../contract/errors.ts'
import type { AgentFields } from '../../access/agents/service.ts'
import { grantAgent } from '../../access/oauth/grants.ts'
import { answerUrl, openRequest } from '../../access/oauth/requests.ts'
import type { Ctx } from '../../context.ts'
import { createAgentFor } from './create.ts'

/**
 * Makes an agent for the client that a user was asked about; returns where the browser takes the code. Throws what creating an
 * agent throws, gone once the request is over, and forbidden without a session.
 */
export async function approveAuthorization(
  ctx: Ctx,
  signed: string,
  agent: AgentFields & { fork?: { bucket: string } | undefined },
): Promise<{ redirect_to: string }> {
  const { auth_method } = ctx.actor
  if (auth_method !== 'local' && auth_method !== 'idp')
    throw new ServiceError('forbidden', 'Sign in to connect a client: tokens cannot.')
  const request = openRequest(ctx, signed)
  const { client_id, client_name, redirect_uri } = request
  let code = ''
  await createAgentFor(ctx, agent, {
    client: { client_id, client_name, redirect_uri },
    also: async (step, { id }) => {
      code = await grantAgent(step, request, id)
    },
  })
  return { redirect_to: answerUrl(ctx.config, request, { code }) }
}
