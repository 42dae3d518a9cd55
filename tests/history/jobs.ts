// What tests of jobs about the past ask of a job.
import type { Client } from '../../client/derived.ts'
import type { Job } from '../../contract/jobs.ts'
import { until } from '../support/until.ts'

/** A job once it has ended. */
export async function finished(client: Client, { id }: Job): Promise<Job> {
  let job: Job | undefined
  await until(async () => {
    job = await client.getJob({ params: { id } })
    return job.finished_at !== null
  })
  return job as Job
}
export const counts = ({ status, total, done, failed }: Job) => [status, total, done, failed]
export const codes = ({ errors }: Job) => errors.map(({ key, code }) => [key, code])
