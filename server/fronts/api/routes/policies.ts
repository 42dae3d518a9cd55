import { api } from '../../../../contract/index.ts'
import * as explain from '../../../features/policies/explain.ts'
import { restoreRun } from '../../../features/policies/restore.ts'
import * as runs from '../../../features/policies/runs.ts'
import * as service from '../../../features/policies/service.ts'
import * as startAndCancel from '../../../features/policies/start-and-cancel.ts'
import { handle } from '../handle.ts'

export const policyRoutes = [
  handle(api.createPolicy, (ctx, { body }) => service.createPolicy(ctx, body)),
  handle(api.listPolicies, (ctx, { query }) => service.listPolicies(ctx, query.limit ?? 100, query.cursor)),
  handle(api.previewPolicy, (ctx, { body }) => service.previewPolicy(ctx, body)),
  handle(api.getPolicy, (ctx, { params }) => service.getPolicy(ctx, params.id)),
  handle(api.updatePolicy, (ctx, { params, body }) => service.updatePolicy(ctx, params.id, body)),
  handle(api.deletePolicy, (ctx, { params }) => service.deletePolicy(ctx, params.id)),
  handle(api.runPolicy, async (ctx, { params, query, body, reply }) => {
    const run = await startAndCancel.runPolicy(ctx, params.id, query, body)
    if (run.finished_at !== null) reply.code(200)
    return run
  }),
  handle(api.listPolicyRuns, (ctx, { params, query }) =>
    runs.listRuns(ctx, params.id, query.limit ?? 100, query.cursor),
  ),
  handle(api.getPolicyRun, (ctx, { params }) => runs.getRun(ctx, params.id, params.run_id)),
  handle(api.listPolicyRunItems, (ctx, { params, query: { outcome, limit = 100, cursor } }) =>
    runs.listRunItems(ctx, params.id, params.run_id, { outcome, limit, cursor }),
  ),
  handle(api.cancelPolicyRun, (ctx, { params }) => startAndCancel.cancelRun(ctx, params.id, params.run_id)),
  handle(api.restorePolicyRun, (ctx, { params, body }) => restoreRun(ctx, params, body.bucket)),
  handle(api.explainPolicies, (ctx, { params, query }) => explain.explainPolicies(ctx, params.bucket, query.key)),
]
