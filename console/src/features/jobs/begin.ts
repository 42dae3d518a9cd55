import type { Job } from '../../../../contract/jobs.ts'
import type { Me } from '../../api/queries.ts'
import { queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'

/** Jobs that were begun in this page: their end is news even when they are over before anybody looks. */
export const begun = new Set<string>()
/** Those whose end is told where they were begun, with a way back from there. */
export const watched = new Set<string>()

/** Begins a job; the lists of jobs are asked for again. */
export async function beginJob(body: Parameters<typeof client.createJob>[0]['body']): Promise<Job> {
  try {
    const job = await client.createJob({ body })
    begun.add(job.id)
    return job
  } finally {
    await queries.invalidateQueries({ queryKey: ['jobs'] })
  }
}

/** Whether something this job deleted or moved can be put back, by this person. */
export const isUndoable = (
  { restorable, source_bucket, prefix, dest_bucket, dest_prefix }: Job,
  me: Pick<Me, 'can'>,
): boolean =>
  restorable &&
  me.can('write', source_bucket, prefix) &&
  (dest_bucket === null ||
    (['read', 'delete'] as const).every((action) => me.can(action, dest_bucket, dest_prefix ?? '')))

/** Begins the job that puts back what a job deleted or moved. */
export const undoJob = ({ id }: Pick<Job, 'id'>): Promise<Job> => beginJob({ kind: 'restore', of: id })
