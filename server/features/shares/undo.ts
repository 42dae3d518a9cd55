import type { Job } from '../../../contract/jobs.ts'
import type { Ctx } from '../../context.ts'
import type { JobBody } from '../../storage/jobs/request.ts'
import { createJob } from '../../storage/jobs/service.ts'
import { revokeLinksOfAgent } from './many.ts'

/** What a time has without what is below a millisecond. */
const MILLISECONDS = '2026-11-30T00:00:00.000'.length

/**
 * Queues a job. With one that takes back what an agent did, the links that it has created since are revoked, at once: what they
 * give away is read while the job waits. A dry run revokes none.
 */
export async function createJobAndRevoke(ctx: Ctx, body: JobBody): Promise<Job> {
  const job = await createJob(ctx, body)
  const { to, source_bucket: bucket } = job
  const agent = job.kind === 'rollback' && body.dry_run !== true ? body.by?.agent : undefined
  if (agent !== undefined && to !== null) {
    const since = `${to.slice(0, MILLISECONDS)}Z`
    await revokeLinksOfAgent(ctx, { agent, since, bucket, prefix: body.prefix ?? '' })
  }
  return job
}
