import { api } from '../../contract/index.ts'
import { handle } from '../http/handle.ts'
import * as service from './service.ts'

export const jobRoutes = [
  handle(api.createJob, (ctx, { body }) => service.createJob(ctx, body)),
  handle(api.listJobs, (ctx, { query }) => service.listJobs(ctx, query.status, query.limit ?? 100, query.cursor)),
  handle(api.getJob, (ctx, { params }) => service.getJob(ctx, params.id)),
  handle(api.cancelJob, (ctx, { params }) => service.cancelJob(ctx, params.id)),
]
