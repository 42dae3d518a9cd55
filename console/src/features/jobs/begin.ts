import type { Job } from '../../../../contract/jobs.ts'
import type { Me } from '../../api/queries.ts'
import { queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { noteDeed, type Place } from '../../ui/undo.ts'

/**
 * Jobs started in this page: their end is announced even if they end before anyone looks. With their place among what
 * was done; one that undoes something has none.
 */
export const begun = new Map<string, Place | undefined>()
/** Jobs whose end is announced where they were started, with undo. */
export const watched = new Set<string>()

/** Starts a job and refetches the lists of jobs. Jobs of one deed have the same `place`. */
export const beginJob = (body: Parameters<typeof client.createJob>[0]['body'], place?: Place): Promise<Job> =>
  noteBegun(client.createJob({ body }), () => place ?? noteDeed())

async function noteBegun(starting: Promise<Job>, placeOf: () => Place | undefined): Promise<Job> {
  try {
    const job = await starting
    begun.set(job.id, placeOf())
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
  noteBegun(client.restorePolicyRun({ params: { id: policy_id, run_id }, body: { bucket } }), noteDeed)

/**
 * Starts the job that undoes a delete, a move or a change of tags. By a page of its own, it is a deed with its `place`;
 * otherwise the deed is taken back and is none any more.
 */
export const undoJob = ({ id }: Pick<Job, 'id'>, place?: Place): Promise<Job> =>
  noteBegun(client.createJob({ body: { kind: 'restore', of: id } }), () => place)
