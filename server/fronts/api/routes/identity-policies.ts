import { api } from '../../../../contract/index.ts'
import * as policies from '../../../features/identities/policies.ts'
import { handle } from '../handle.ts'

export const identityPolicyRoutes = [
  handle(api.listIdentityPolicies, (ctx, { query }) => policies.listPolicies(ctx, query)),
  handle(api.createIdentityPolicy, (ctx, { body }) => policies.createPolicy(ctx, body)),
  handle(api.getIdentityPolicy, (ctx, { params }) => policies.getPolicy(ctx, params.policy)),
  handle(api.updateIdentityPolicy, (ctx, { params, body }) => policies.updatePolicy(ctx, params.policy, body)),
  handle(api.deleteIdentityPolicy, (ctx, { params }) => policies.deletePolicy(ctx, params.policy)),
  handle(api.getPoliciesOf, (ctx, { params }) => policies.getPoliciesOf(ctx, params)),
  handle(api.getInlinePolicy, (ctx, { params }) => policies.getInline(ctx, params)),
  handle(api.putInlinePolicy, (ctx, { params, body }) => policies.putInline(ctx, params, body.document)),
  handle(api.deleteInlinePolicy, (ctx, { params }) => policies.deleteInline(ctx, params)),
  handle(api.attachPolicy, (ctx, { params }) => policies.attach(ctx, params)),
  handle(api.detachPolicy, (ctx, { params }) => policies.detach(ctx, params)),
]
