import { api } from '../../../../contract/index.ts'
import * as service from '../../../storage/attached/scans/service.ts'
import { handle } from '../handle.ts'

export const scanRoutes = [
  handle(api.startScan, (ctx, { params }) => service.startScan(ctx, params.bucket)),
  handle(api.listScans, (ctx, { params, query }) =>
    service.listScans(ctx, params.bucket, query.limit ?? 100, query.cursor),
  ),
  handle(api.getScan, (ctx, { params }) => service.getScan(ctx, params.scan)),
  handle(api.listAbsences, (ctx, { params, query }) =>
    service.listAbsences(ctx, params.scan, query.limit ?? 100, query.cursor),
  ),
  handle(api.confirmScan, (ctx, { params }) => service.confirmScan(ctx, params.scan)),
]
