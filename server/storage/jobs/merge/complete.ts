import { invalid } from '../../../base/invalid.ts'
import { allowSomewhere, type Ctx } from '../../../context.ts'
import { bucketMissing } from '../../buckets/service.ts'
import { findBucket } from '../../buckets/store.ts'
import { withOrigin } from '../../forks/origin.ts'
import type { CreateJob, JobBody } from '../request.ts'

/**
 * Completes a merge: `dest_bucket` becomes the origin. Throws conflict for a bucket that is no fork, or whose origin is gone, and
 * forbidden for callers who may not know of the origin.
 */
export async function completeMerge(
  ctx: Ctx,
  { kind, source_bucket, dest_bucket, prefix = '', on_conflict, decisions, dry_run = false, planned, ...rest }: JobBody,
): Promise<CreateJob> {
  const [other] = Object.keys(rest)
  if (other !== undefined) throw invalid(`body.${other}`, 'is not allowed for merge')
  if (source_bucket === undefined) throw invalid('body.source_bucket', 'is required')
  assertDecisions(decisions)
  allowSomewhere(ctx.actor, 'read', source_bucket, prefix)
  const bucket = await findBucket(ctx.db, source_bucket)
  if (!bucket) throw bucketMissing(source_bucket)
  const { origin } = await withOrigin(ctx, bucket)
  if (dest_bucket !== undefined && dest_bucket !== origin)
    throw invalid('body.dest_bucket', 'must be the bucket that it was forked from')
  return { kind, source_bucket, dest_bucket: origin, prefix, on_conflict, decisions, dry_run, planned }
}

function assertDecisions(decisions: JobBody['decisions'] = []): void {
  const decided = new Set<string>()
  for (const [i, { key, take, dest_key }] of decisions.entries()) {
    const path = `body.decisions.${i}`
    if (decided.has(key)) throw invalid(`${path}.key`, 'is decided twice')
    decided.add(key)
    if (dest_key === undefined) continue
    if (take !== 'both') throw invalid(`${path}.dest_key`, 'is only allowed where both are taken')
    if (dest_key === key) throw invalid(`${path}.dest_key`, 'must be another key')
  }
}
