import type { Job } from '../../../contract/jobs.ts'
import type { Ctx } from '../../context.ts'
import type { CreateJob, JobBody } from '../../storage/jobs/request.ts'
import { createJob } from '../../storage/jobs/service.ts'
import { findOverLinksOfAgent, revokeLinks } from './many.ts'

/** What a time has without what is below a millisecond. */
const MILLISECONDS = '2026-11-30T00:00:00.000'.length

/**
 * Queues a job. With one that takes back what an agent did, the links that it has created since are revoked, at once: what they
 * give away is read while the job waits. A dry run only counts them.
 */
export async function createJobAndRevoke(ctx: Ctx, body: JobBody): Promise<Job> {
  let links: readonly string[] = []
  const job = await createJob(ctx, body, async (request) => {
    links = await linksTakenBack(ctx, request)
    return links
  })
  if (!job.dry_run) await revokeLinks(ctx, job.source_bucket, links)
  return job
}

/** The links that end with a job: those of the agent whose changes it takes back, since the moment that it goes back to. */
async function linksTakenBack(ctx: Ctx, { kind, by, to, source_bucket: bucket, prefix = '' }: CreateJob) {
  if (kind !== 'rollback' || by?.agent === undefined || to === undefined) return []
  const since = `${to.slice(0, MILLISECONDS)}Z`
  return findOverLinksOfAgent(ctx, { agent: by.agent, since, bucket, prefix })
}
