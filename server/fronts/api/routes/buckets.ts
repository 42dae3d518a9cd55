import { api } from '../../../../contract/index.ts'
import { actorOfRole } from '../../../access/temporary/actor.ts'
import { invalid } from '../../../base/invalid.ts'
import { listOtherAccess } from '../../../features/permissions/who/others.ts'
import { listAccess } from '../../../features/permissions/who/users.ts'
import { attachBucket } from '../../../storage/attached/attach.ts'
import { listFindings } from '../../../storage/attached/findings/service.ts'
import { releaseBucket } from '../../../storage/attached/release.ts'
import { takeOverBucket } from '../../../storage/attached/take-over.ts'
import { createBucket } from '../../../storage/buckets/create.ts'
import * as service from '../../../storage/buckets/service.ts'
import { updateBucket } from '../../../storage/buckets/update.ts'
import { forkBucket } from '../../../storage/jobs/fork/create.ts'
import * as replication from '../../../storage/replication/settings.ts'
import { verifyReplication } from '../../../storage/replication/verify.ts'
import { handle } from '../handle.ts'

export const bucketRoutes = [
  handle(api.createBucket, (ctx, { body: { mode, from, expires_at, ...body } }) => {
    if (expires_at !== undefined && !from) throw invalid('body.expires_at', 'is only allowed for a fork')
    if (from && mode === 'read_only') throw invalid('body.from', 'is not allowed for a bucket that is attached')
    if (mode === 'read_only') return attachBucket(ctx, body)
    if (body.prefix !== undefined) throw invalid('body.prefix', 'is only allowed for a bucket that is attached')
    return from ? forkBucket(ctx, { ...body, from, expires_at }) : createBucket(ctx, body)
  }),
  handle(api.listBuckets, (ctx, { query }) => service.listBuckets(ctx, query.limit ?? 100, query.cursor)),
  handle(api.getBucket, (ctx, { params }) => service.getBucket(ctx, params.bucket)),
  handle(api.listBucketAccess, async (ctx, { params, query }) => {
    const { name } = await service.getBucket(ctx, params.bucket)
    return listAccess(ctx, name, query)
  }),
  handle(api.listOtherBucketAccess, async (ctx, { params, query }) => {
    const { name } = await service.getBucket(ctx, params.bucket)
    return listOtherAccess(ctx, name, query, actorOfRole)
  }),
  handle(api.updateBucket, (ctx, { params, body }) => updateBucket(ctx, params.bucket, body)),
  handle(api.deleteBucket, (ctx, { params }) => service.deleteBucket(ctx, params.bucket)),
  handle(api.takeOverBucket, (ctx, { params, body }) => takeOverBucket(ctx, params.bucket, body)),
  handle(api.listFindings, (ctx, { params, query }) =>
    listFindings(ctx, params.bucket, query.limit ?? 100, query.cursor),
  ),
  handle(api.releaseBucket, (ctx, { params, body }) => releaseBucket(ctx, params.bucket, body)),
  handle(api.listReplications, async (ctx) => ({ items: await replication.listReplications(ctx) })),
  handle(api.getReplication, (ctx, { params }) => replication.getReplication(ctx, params.bucket)),
  handle(api.setReplication, async (ctx, { params, body }) => {
    await replication.setReplication(ctx, params.bucket, body)
    return replication.getReplication(ctx, params.bucket)
  }),
  handle(api.deleteReplication, (ctx, { params }) => replication.deleteReplication(ctx, params.bucket)),
  handle(api.pauseReplication, (ctx, { params }) => replication.pauseReplication(ctx, params.bucket)),
  handle(api.resumeReplication, (ctx, { params }) => replication.resumeReplication(ctx, params.bucket)),
  handle(api.listReplicationFailures, (ctx, { params, query }) =>
    replication.listFailures(ctx, params.bucket, query.limit ?? 100, query.cursor),
  ),
  handle(api.verifyReplication, (ctx, { params, body }) => verifyReplication(ctx, params.bucket, body ?? {})),
]
