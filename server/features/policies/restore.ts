import { ServiceError } from '../../../contract/errors.ts'
import type { Job } from '../../../contract/jobs.ts'
import { allowSomewhere, type Ctx } from '../../context.ts'
import { bucketMissing } from '../../storage/buckets/service.ts'
import { findBucket } from '../../storage/buckets/store.ts'
import { assertWritable } from '../../storage/buckets/writable.ts'
import { queueJob } from '../../storage/jobs/service.ts'
import { findRestorable } from './find-restorable.ts'
import type { RunRule } from './rule.ts'
import { findVisibleRun } from './runs.ts'

/**
 * Starts the job that restores what a finished run deleted in a bucket. Needs the policy to be visible and `write`
 * somewhere in the bucket; the job checks each key. Throws conflict while the run is unfinished, and nothing_to_restore.
 */
export async function restoreRun(ctx: Ctx, { id, run_id }: { id: string; run_id: string }, name: string): Promise<Job> {
  const run = await findVisibleRun(ctx, id, run_id)
  allowSomewhere(ctx.actor, 'write', name)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  assertWritable(bucket)
  if (run.finished_at === null) throw new ServiceError('conflict', 'The run has not finished yet.')
  if (!(await findRestorable(ctx.db, [run_id])).get(run_id)?.includes(name))
    throw new ServiceError('nothing_to_restore', `Nothing that the run deleted in "${name}" can be restored any more.`)
  const { prefix } = JSON.parse(run.rule) as RunRule
  return queueJob(ctx, { kind: 'restore', of_run: { policy_id: id, run_id }, source_bucket: name, prefix })
}
