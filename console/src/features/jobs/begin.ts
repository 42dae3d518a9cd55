import type { Job } from '../../../../contract/jobs.ts'
import type { Me } from '../../api/queries.ts'
import { queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'

/** Jobs started in this page: their end is announced even if they end before anyone looks. */
export const begun = new Set<string>()
/** Jobs whose end is announced where they were started, with undo. */
export const watched = new Set<string>()

/** Starts a job and refetches the lists of jobs. */
export const beginJob = (body: Parameters<typeof client.createJob>[0]['body']): Promise<Job> =>
  noteBegun(client.createJob({ body }))

async function noteBegun(starting: Promise<Job>): Promise<Job> {
  try {
    const job = await starting
    begun.add(job.id)
    return job
  } finally {
    await queries.invalidateQueries({ queryKey: ['jobs'] })
  }
}

/** Whether this user can undo what the job deleted or moved. */
export const isUndoable = (
  { restorable, source_bucket, prefix, dest_bucket, dest_prefix }: Job,
  me: Pick<Me, 'can'>,
): boolean =>
  restorable &&
  me.can('write', source_bucket, prefix) &&
  (dest_bucket === null ||
    (['read', 'delete'] as const).every((action) => me.can(action, dest_bucket, dest_prefix ?? '')))

/** Starts the job that restores what a policy's run deleted in a bucket. */
export const restoreRun = ({ policy_id, run_id }: NonNullable<Job['of_run']>, bucket: string): Promise<Job> =>
  noteBegun(client.restorePolicyRun({ params: { id: policy_id, run_id }, body: { bucket } }))

/** Starts the job that undoes a delete or a move. */
export const undoJob = ({ id }: Pick<Job, 'id'>): Promise<Job> => beginJob({ kind: 'restore', of: id })
