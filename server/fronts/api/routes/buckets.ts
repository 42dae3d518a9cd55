import { api } from '../../../../contract/index.ts'
import * as service from '../../../storage/buckets/service.ts'
import { updateBucket } from '../../../storage/buckets/update.ts'
import { handle } from '../handle.ts'

export const bucketRoutes = [
  handle(api.createBucket, (ctx, { body }) => service.createBucket(ctx, body)),
  handle(api.listBuckets, (ctx, { query }) => service.listBuckets(ctx, query.limit ?? 100, query.cursor)),
  handle(api.getBucket, (ctx, { params }) => service.getBucket(ctx, params.bucket)),
  handle(api.updateBucket, (ctx, { params, body }) => updateBucket(ctx, params.bucket, body)),
  handle(api.deleteBucket, (ctx, { params }) => service.deleteBucket(ctx, params.bucket)),
]
