import { api } from '../../../../contract/index.ts'
import * as service from '../../../storage/history/snapshots/service.ts'
import { handle } from '../handle.ts'

export const snapshotRoutes = [
  handle(api.createSnapshot, (ctx, { params, body }) => service.createSnapshot(ctx, params.bucket, body)),
  handle(api.listSnapshots, (ctx, { params, query }) => service.listSnapshots(ctx, params.bucket, query)),
  handle(api.getSnapshot, (ctx, { params }) => service.getSnapshot(ctx, params.bucket, params.name)),
  handle(api.deleteSnapshot, (ctx, { params }) => service.deleteSnapshot(ctx, params.bucket, params.name)),
]
