import type { Upkeep } from '../../context.ts'
import * as store from './store.ts'

/** Step: notes what a job has merged of a fork just now, so that it is not merged again. */
export async function noteMerged(
  { tx }: Upkeep,
  { forkId, job_id }: { forkId: string; job_id: string },
  rows: readonly Omit<store.NewMerged, 'bucket_id' | 'job_id'>[],
): Promise<void> {
  if (rows.length === 0) return
  await store.insertMerged(
    tx,
    rows.map((row) => ({ ...row, bucket_id: forkId, job_id })),
  )
}

/** Step: forgets that a job has merged these keys of its origin: that was undone. What had been merged before holds again. */
export const forgetMerged = async ({ tx }: Upkeep, job: string, originKeys: readonly string[]): Promise<void> => {
  if (originKeys.length > 0) await store.undoMerged(tx, job, originKeys)
}

/** Step: forgets that a job has kept keys of its origin as they were: these are conflicts again. */
export const forgetKept = ({ tx }: Upkeep, job: string): Promise<void> => store.undoMerged(tx, job, 'kept')
