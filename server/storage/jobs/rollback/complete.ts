import { invalid } from '../../../base/invalid.ts'
import { formatMoment } from '../../../base/moment.ts'
import { allowSomewhere, type Ctx } from '../../../context.ts'
import { keepsHistory } from '../../buckets/describe.ts'
import { bucketMissing } from '../../buckets/service.ts'
import { findBucket } from '../../buckets/store.ts'
import { assertWritable } from '../../buckets/writable.ts'
import { assertComplete, momentOf } from '../../history/former/past.ts'
import type { CreateJob, JobBody } from '../request.ts'
import { keepsNoHistory } from './list.ts'

/**
 * Completes a rollback: `to` becomes the moment that it means. Throws invalid_request for a moment from before all changes
 * were kept, of which a key that was there may not be known.
 */
export async function completeRollback(
  ctx: Ctx,
  { kind, source_bucket, prefix = '', to, keep_new = false, by, dry_run = false, planned, ...rest }: JobBody,
): Promise<CreateJob> {
  const [other] = Object.keys(rest)
  if (other !== undefined) throw invalid(`body.${other}`, 'is not allowed for rollback')
  if (source_bucket === undefined) throw invalid('body.source_bucket', 'is required')
  if (to === undefined) throw invalid('body.to', 'is required')
  if (by && Object.keys(by).length !== 1)
    throw invalid('body.by', 'must have exactly one of user, access_key, token, share and agent')
  for (const right of ['read', 'write'] as const) allowSomewhere(ctx.actor, right, source_bucket, prefix)
  const bucket = await findBucket(ctx.db, source_bucket)
  if (!bucket) throw bucketMissing(source_bucket)
  assertWritable(bucket)
  if (!keepsHistory(bucket)) throw keepsNoHistory(source_bucket)
  const moment = await momentOf(ctx, bucket, { text: to, path: 'body.to' })
  await assertComplete(ctx.db, bucket, { moment, path: 'body.to' })
  return { kind, source_bucket, prefix, to: formatMoment(moment), keep_new, by, dry_run, planned }
}
