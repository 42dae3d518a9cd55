import { api } from '../../../../contract/index.ts'
import { decideApproval, getApproval, listApprovals } from '../../../access/agent-limits/approvals/decide.ts'
import * as service from '../../../access/agents/service.ts'
import { createAgentOnFork, updateAgentAndFork } from '../../../features/agents/create.ts'
import { handle } from '../handle.ts'

export const agentRoutes = [
  handle(api.createAgent, (ctx, { body: { fork, ...fields }, reply }) => {
    reply.header('cache-control', 'no-store')
    return fork ? createAgentOnFork(ctx, fields, fork) : service.createAgent(ctx, fields)
  }),
  handle(api.listAgents, (ctx, { query }) => service.listAgents(ctx, query)),
  handle(api.getOwnAgent, (ctx) => service.getOwnAgent(ctx)),
  handle(api.getAgent, (ctx, { params }) => service.getAgent(ctx, params.id)),
  handle(api.updateAgent, (ctx, { params, body }) => updateAgentAndFork(ctx, params.id, body)),
  handle(api.revokeAgent, (ctx, { params }) => service.revokeAgent(ctx, params.id)),
  handle(api.listApprovals, (ctx, { query }) => listApprovals(ctx, query)),
  handle(api.getApproval, (ctx, { params }) => getApproval(ctx, params.id)),
  handle(api.approve, (ctx, { params }) => decideApproval(ctx, params.id, 'approved')),
  handle(api.reject, (ctx, { params }) => decideApproval(ctx, params.id, 'rejected')),
]
