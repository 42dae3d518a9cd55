import { api } from '../../../../contract/index.ts'
import { createJobAndRevoke } from '../../../features/shares/undo.ts'
import * as service from '../../../storage/jobs/service.ts'
import { handle } from '../handle.ts'

export const jobRoutes = [
  handle(api.createJob, (ctx, { body }) => createJobAndRevoke(ctx, body)),
  handle(api.listJobs, (ctx, { query }) => service.listJobs(ctx, query.status, query.limit ?? 100, query.cursor)),
  handle(api.getJob, (ctx, { params }) => service.getJob(ctx, params.id)),
  handle(api.cancelJob, (ctx, { params }) => service.cancelJob(ctx, params.id)),
]
