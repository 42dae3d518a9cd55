import { api } from '../../../../contract/index.ts'
import { actorOfRole } from '../../../access/temporary/actor.ts'
import * as policies from '../../../features/permissions/describe.ts'
import { simulate } from '../../../features/permissions/simulate.ts'
import { handle } from '../handle.ts'

export const accessPolicyRoutes = [
  handle(api.getBucketPolicy, (ctx, { params }) => policies.getBucketPolicy(ctx, params.bucket)),
  handle(api.putBucketPolicy, (ctx, { params, body }) => policies.putBucketPolicy(ctx, params.bucket, body.document)),
  handle(api.deleteBucketPolicy, (ctx, { params }) => policies.deleteBucketPolicy(ctx, params.bucket)),
  handle(api.describePolicy, (ctx, { body }) => policies.describeUnsaved(ctx, body)),
  handle(api.simulatePermission, (ctx, { body }) => simulate(ctx, body, actorOfRole)),
]
