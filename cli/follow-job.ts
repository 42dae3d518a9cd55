import type { Job } from '../client/index.ts'
import { follow } from './follow.ts'
import { show } from './places.ts'
import { print, type Run } from './run.ts'

/** The unfinished job that does what is wanted. */
export async function findOpenJob({ client }: Run, isWanted: (job: Job) => boolean): Promise<Job | undefined> {
  for (const status of ['running', 'queued'] as const)
    for await (const job of client.all.listJobs({ query: { status } })) if (isWanted(job)) return job
  return undefined
}

/** Waits for the end of a job on a bucket's objects, and leaves it running when interrupted. Objects that failed are listed. */
export async function followJob(run: Run, started: Job, bucket: string): Promise<Job> {
  const { client, progress } = run
  const { id } = started
  const job = await follow(run, started, {
    isOpen: ({ status }) => status === 'queued' || status === 'running',
    refresh: () => client.getJob({ params: { id } }),
    line: ({ done, failed, total }) => `${done + failed} of ${total ?? '?'} done`,
    left: `job ${id} continues: run the same command again to follow it, or open ${client.baseUrl}/console/jobs/${id}`,
  })
  const { failed, errors } = job
  for (const error of errors) progress.fail(show(bucket, error.key), new Error(`${error.detail} (${error.code})`))
  if (failed > errors.length) progress.note(`${failed - errors.length} more failed`)
  return job
}

/** Prints a job: how far it came, or all of it as JSON. */
export const printJob = ({ json }: Run, job: Job): Promise<void> =>
  print(json ? `${JSON.stringify(job)}\n` : `${job.done} done${job.failed > 0 ? `, ${job.failed} failed` : ''}\n`)
